"""Which of a chapter's cells become slides: its opening, and each figure with what introduces it.

The rule takes the place of tags in the notebooks. The first slide has the title and the chapter's
question, as cards.toml asks it; the second the opening's words. Then each figure has a slide: below
the heading of its section stands the end of the paragraph before it, and beside it the code that
draws it, where that is short. All other prose is in the speaker's notes, of the slide that it is
about: what follows a figure within its section belongs to that, all else to the next one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from contents import shorten
from nbfile import authored_cells
from reading_time import count_figures
from website.links import LINK
from website.markdown import FENCED, map_prose

OPENING_WORDS = 110  # as many paragraphs as a slide has room for
CAPTION_WORDS = 45
CODE_LINES, CODE_COLUMNS = 12, 52  # beside a figure
AFTER_THE_STORY = "Where this lives in JAX"  # sections from here on are for readers
HEADING = re.compile(r"(#{1,4}) (.+)")
PICTURE = re.compile(r"!\[[^\]]*\]\(([^)]+)\)\s*")
SENTENCE = re.compile(r"(?:(?<=[.?!:])|(?<=[.?!]\))) (?=[A-Z`*(])")
NO_SENTENCE = ("|", "- ", "* ", ">", "$$", "```", "1. ", "<")


@dataclass
class Slide:
    """What a slide shows, and what is said to it.

    Attributes:
      kind: `title`, `opening` or `figure`.
      words: Markdown, the heading first.
      figure: a cell with outputs and perhaps code, or with Markdown that shows a picture.
      notes: paragraphs of Markdown.
    """

    kind: str
    words: str
    figure: nbformat.NotebookNode | None = None
    notes: list[str] = field(default_factory=list)


def slides_notebook(notebook: nbformat.NotebookNode, question: str) -> nbformat.NotebookNode:
    """Returns the cells of a chapter's slides, tagged as nbconvert's SlidesExporter reads them."""
    cells = []
    for slide in choose_slides(notebook, question):
        shown = [new_markdown_cell(slide.words)]
        shown += [slide.figure] if slide.figure else []
        shown[0].metadata = {"slideshow": {"slide_type": "slide"}, "slide_kind": slide.kind}
        if slide.notes:
            metadata = {"slideshow": {"slide_type": "notes"}}
            shown.append(new_markdown_cell("\n\n".join(slide.notes), metadata=metadata))
        cells += shown
    return nbformat.from_dict(new_notebook(cells=cells))


def choose_slides(notebook: nbformat.NotebookNode, question: str) -> list[Slide]:
    """Returns a chapter's slides. `question` is the one that it answers."""
    title, *cells = blocks(notebook)
    opening = opening_of(notebook)
    del cells[: len(opening)]
    name = shorten(title.removeprefix("# "))
    slides = [Slide("title", f"{title}\n\n{question}")]
    shown = fitting(opening)
    while shown and shown[-1].endswith(":"):  # of what comes below
        shown = shown[:-1]
    if shown:
        slides.append(Slide("opening", "\n\n".join([f"## {name}", *shown])))
    slides[-1].notes += opening[len(shown) :]
    slides += figure_slides(cells, name, slides[-1], *opening[-1:])
    return slides


def opening_of(notebook: nbformat.NotebookNode) -> list[str]:
    """Returns the paragraphs of a chapter's first cell, up to a heading or a figure."""
    _, *paragraphs = cell_blocks(authored_cells(notebook)[0])
    others = (n for n, block in enumerate(paragraphs)
              if not isinstance(block, str) or HEADING.match(block))  # fmt: skip
    return paragraphs[: next(others, None)]


def figure_slides(
    cells: list[str | nbformat.NotebookNode], heading: str, current: Slide, before: str = ""
) -> Iterator[Slide]:
    """Returns a slide for each figure.

    Args:
      cells: headings, paragraphs and figures.
      heading: of the section in which they begin.
      current: the slide before, whose notes have what is said before the first figure.
      before: the paragraph before.
    """
    waiting: list[str] = []
    same_section = True
    for block in cells:
        if not isinstance(block, str):
            caption = last_sentences(before)
            words = f"## {heading}" + (f"\n\n{caption}" if caption else "")
            current = Slide("figure", words, block, waiting)
            yield current
            waiting, before, same_section = [], "", True
            continue
        if match := HEADING.match(block):
            heading, same_section, before = match[2], False, ""
            waiting.append(f"**{heading}**")
            continue
        before = block
        (current.notes if same_section else waiting).append(block)
    current.notes += waiting


def blocks(notebook: nbformat.NotebookNode) -> Iterator[str | nbformat.NotebookNode]:
    """Returns a chapter's headings, paragraphs and figures, up to what is for readers alone."""
    for cell in authored_cells(notebook):
        for block in cell_blocks(cell):
            if block == f"## {AFTER_THE_STORY}":
                return
            yield block


def cell_blocks(cell: nbformat.NotebookNode) -> list[str | nbformat.NotebookNode]:
    """Returns a cell's headings, paragraphs and figures, in their order."""
    if cell.cell_type != "markdown":
        return list(figures_of(cell))
    return [figure_in_text(block) or block for block in split_blocks(without_links(cell.source))]


def split_blocks(text: str) -> list[str]:
    """Returns the blocks of Markdown between blank lines; a fence is one, and so is a heading.

    >>> split_blocks("# A\\nb\\n\\n```\\nc\\n\\nd\\n```\\ne")
    ['# A', 'b', '```\\nc\\n\\nd\\n```', 'e']
    """
    pieces, end = [], 0
    for match in FENCED.finditer(text):
        pieces += [*re.split(r"\n{2,}", text[end : match.start()]), match[0]]
        end = match.end()
    pieces += re.split(r"\n{2,}", text[end:])
    found = []
    for piece in pieces:
        head, _, rest = piece.strip("\n").partition("\n")
        found += [head, rest] if HEADING.match(head) else [piece.strip("\n")]
    return [piece for piece in found if piece.strip()]


def without_links(text: str) -> str:
    """Returns Markdown with the words of its links alone, which lead nowhere on a slide.

    >>> without_links("[05](05-forward.ipynb), `[a](b)`")
    '05, `[a](b)`'
    """

    def words(match: re.Match[str]) -> str:
        return match[0] if match["ticks"] or match["bang"] else match["label"]

    return map_prose(text, lambda prose: LINK.sub(words, prose))


def figure_in_text(block: str) -> nbformat.NotebookNode | None:
    """Returns the cell of a block that is a diagram or a picture; None where it is neither."""
    if (fenced := FENCED.fullmatch(block)) and fenced["info"].strip() == "mermaid":
        return new_code_cell(outputs=[shows({"text/vnd.mermaid": fenced["body"]})])
    if (picture := PICTURE.fullmatch(block)) and ":" not in picture[1]:
        return new_markdown_cell(block.replace(f"({picture[1]})", f"(../{picture[1]})"))
    return None


def shows(data: dict[str, str]) -> nbformat.NotebookNode:
    return nbformat.v4.new_output("display_data", data=data)


def figures_of(cell: nbformat.NotebookNode) -> Iterator[nbformat.NotebookNode]:
    """Returns a code cell's figures, each with the code that draws it where a slide has room."""
    lines = cell.source.split("\n")
    short = len(lines) <= CODE_LINES and max(map(len, lines)) <= CODE_COLUMNS
    for output in cell.outputs:
        figure = new_code_cell(outputs=[output])
        if count_figures(figure):
            wide = {"image/png", "image/svg+xml", "text/html"} & set(output.data)
            figure.source = cell.source if short and not wide else ""
            yield figure


def fitting(paragraphs: list[str]) -> list[str]:
    """Returns the first paragraphs, as many as a slide has room for."""
    room = OPENING_WORDS
    for number, paragraph in enumerate(paragraphs):
        # A line of code or of a list takes as much room as one of prose, however short it is.
        room -= max(len(paragraph.split()), 8 * (paragraph.count("\n") + 1))
        if room < 0:
            return paragraphs[:number]
    return paragraphs


def last_sentences(paragraph: str) -> str:
    """Returns the end of a paragraph, as long as a caption may be; '' of what is none.

    >>> last_sentences("One. Two: three.\\nFour.")
    'One. Two: three. Four.'
    >>> last_sentences("| a | b |"), last_sentences("with an end. (Or none.) Look:")
    ('', 'Look:')
    """
    if not paragraph or paragraph.startswith(NO_SENTENCE):
        return ""
    kept: list[str] = []
    for sentence in reversed(SENTENCE.split(" ".join(paragraph.split()))):
        if len(" ".join([sentence, *kept]).split()) > CAPTION_WORDS:
            break
        kept.insert(0, sentence)
    while kept and (kept[0][0] == "(" or kept[0][0].islower()):  # of what isn't on the slide
        kept.pop(0)
    return " ".join(kept)
