"""What the prose of a Markdown cell claims: numbers, names, and where the book tells of something.

Fenced blocks, formulas, headings and the ends of links claim nothing, and neither do the sections
about JAX's own files, the things to try and the exercises, which speak of what is not on the page.
"""

import re

FENCED = re.compile(r"^ {0,3}(```|~~~).*?^ {0,3}\1", re.MULTILINE | re.DOTALL)
FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$\n]+\$", re.DOTALL)
HEADING = re.compile(r"^#+ .*$", re.MULTILINE)
LINK_END = re.compile(r"\]\([^)]*\)")
ELSEWHERE = re.compile(r"^## (Where this lives in JAX|Three things to try|(The e|E)xercises)\b.*",
                       re.MULTILINE | re.DOTALL)  # fmt: skip
VERSION = re.compile(r"\b(JAX|Python|NumPy|Numba) \d[\d.]*\d")
LIST_ITEM = re.compile(r"^(?:- |\d+\. )", re.MULTILINE)
TABLE_ROW = re.compile(r"^\|(?![-|: ]+$).*\|$", re.MULTILINE)

TICKED = re.compile(r"`([^`\n]+)`")
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
IDENTIFIER = re.compile(r"[^\W\d]\w*")

LABELS = r"(?:\d\d|[A-Z])\b"
# `chapter 05`, `chapters 05 to 07`, `appendix A`; and, alone, `(04)` and a table's `| 04 |`.
REFERENCE = re.compile(
    rf"\b[Cc]hapters? (\d\d(?:(?:, | and | to |, and )\d\d)*)\b|\b[Aa]ppendi(?:x|ces) ({LABELS})"
    r"|\((\d\d)\)|\| (\d\d)(?= \|)"
)
LABEL = re.compile(LABELS)
SEVERAL = r"`[^`\n]+`(?:(?:, | and |, and )`[^`\n]+`)*"
TOLD_IN = r"\[?(?:chapter (?P<chapter>\d\d)|appendix (?P<appendix>[A-Z]))\b(?!\]?(?:\([^)]*\))?'s)"
# `name` (chapter 05), (`name`: chapter 05), (`name`, chapter 05), `name`, of chapter 05
NAME_FIRST = re.compile(rf"(?P<names>{SEVERAL})(?: \(|: |, |,? of |, from ){TOLD_IN}")
# chapter 05's `name`, appendix A's `name`
LABEL_FIRST = re.compile(
    r"(?:[Cc]hapter (?P<chapter>\d\d)|[Aa]ppendix (?P<appendix>[A-Z]))(?:\]\([^)]*\))?'s "
    rf"(?P<names>{SEVERAL})"
)

NUMBER = re.compile(r"(?<![\w.^-])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w]|\.\d)")
ANY_NUMBER = re.compile(r"\d+(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+")
THOUSANDS = re.compile(r"(?<=\d)[,_](?=\d{3}(?!\d))")
WORDS = {word: number for number, word in enumerate(
    "four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty".split(), 4)}  # fmt: skip
NUMBER_WORD = re.compile(rf"(?<![\w-])({'|'.join(WORDS)})(?![\w-])", re.IGNORECASE)
SMALL = 3  # numbers up to this one stand everywhere, and would be found everywhere


def read_prose(markdown: str) -> str:
    """Returns what speaks of the page.

    >>> read_prose("# 05 Title\\nIt gives `0.5`, as $x / 2$ says.")
    '\\nIt gives `0.5`, as   says.'
    """
    for pattern in (FENCED, ELSEWHERE, HEADING, FORMULA):
        markdown = pattern.sub(" " if pattern is FORMULA else "", markdown)
    return LINK_END.sub("]", markdown)


def read_formulas(markdown: str) -> str:
    """Returns what the prose may rest on in its own cell: fenced blocks and formulas."""
    return "\n".join(match[0] for pattern in (FENCED, FORMULA)
                     for match in pattern.finditer(markdown))  # fmt: skip


def read_numbers(markdown: str) -> dict[str, float]:
    """Returns the numbers that a cell speaks of, as they stand there, and their values.

    What is as long as a list or a table of the cell itself is left out.

    >>> read_numbers("The loop ran 21 times, in nine steps; chapter 10 says why.")
    {'21': 21.0, 'nine': 9.0}
    """
    prose = VERSION.sub("", REFERENCE.sub("", read_prose(markdown)))
    lengths = {len(LIST_ITEM.findall(prose)), len(TABLE_ROW.findall(prose)) - 1}
    found = {match[0]: float(match[0]) for match in NUMBER.finditer(THOUSANDS.sub("", prose))}
    found |= {match[0]: float(WORDS[match[0].lower()]) for match in NUMBER_WORD.finditer(prose)}
    return {
        text: value
        for text, value in found.items()
        if value not in lengths and not (value == int(value) and abs(value) <= SMALL)
    }


def numbers_in(text: str) -> set[float]:
    """Returns all numbers in the text of cells, in words too, without signs."""
    digits = {float(match[0]) for match in ANY_NUMBER.finditer(THOUSANDS.sub("", text))}
    return digits | {float(WORDS[match[0].lower()]) for match in NUMBER_WORD.finditer(text)}


def read_names(markdown: str) -> set[str]:
    """Returns the identifiers between backquotes, but for what stands in quotes there.

    >>> sorted(read_names("`f(x, 'y')` and `np.sin`"))
    ['f', 'np', 'sin', 'x']
    """
    spans = TICKED.findall(read_prose(markdown))
    return {name for span in spans for name in IDENTIFIER.findall(QUOTED.sub("", span))}


def read_letters(markdown: str) -> set[str]:
    """Returns the variables between backquotes: single letters that stand there by themselves.

    One that a longer piece between backquotes has too is explained by that.

    >>> sorted(read_letters("`a` and `g`, of `2 * g`"))
    ['a']
    """
    spans = TICKED.findall(read_prose(markdown))
    longer = {name for span in spans if len(span) > 1 for name in IDENTIFIER.findall(span)}
    return {span for span in spans if len(span) == 1 and span.isalpha()} - longer


def read_references(markdown: str) -> set[str]:
    """Returns the labels of chapters and appendices that are named.

    >>> sorted(read_references("Chapters 05 to 07, [appendix A](A-errors.ipynb) and arrays (02)."))
    ['02', '05', '07', 'A']
    """
    prose = read_prose(markdown)
    return {label for match in REFERENCE.finditer(prose)
            for group in match.groups() if group for label in LABEL.findall(group)}  # fmt: skip


def read_places(markdown: str) -> list[tuple[str, str]]:
    """Returns pairs of a name, as it stands there, and the label of the chapter that has it.

    >>> read_places("`jvp` (chapter 05), chapter 07's `stage(f)` and [appendix A](A.ipynb)'s `E`")
    [('jvp', '05'), ('stage(f)', '07'), ('E', 'A')]
    """
    prose = FENCED.sub("", markdown)
    return [
        (span, match["chapter"] or match["appendix"])
        for pattern in (NAME_FIRST, LABEL_FIRST)
        for match in pattern.finditer(prose)
        for span in TICKED.findall(match["names"])
    ]


def main_name(span: str) -> str | None:
    """Returns the name that a piece between backquotes is about, or None.

    >>> main_name("cast(x, dtype)"), main_name("Backend.compile"), main_name("_")
    ('cast', 'compile', '_')
    """
    names = IDENTIFIER.findall(span.partition("(")[0])
    return names[-1] if names else None
