"""Print which options JAX has, as `minijax/face/jax_options.py` holds them.

To renew that file, where JAX is:
`python tests/golden/record_options.py > minijax/face/jax_options.py`.
"""

import os
import textwrap
from enum import Enum
from importlib import import_module

HEAD = '''\
"""The options of JAX {version}, by what each may be, and its default.

They are read off JAX by tests/golden/record_options.py, and `minijax/face/options.py` adds them to
the core's. A variable of the environment has an option's name in capital letters.
"""

JAX_OPTIONS = {{
'''


def recorded() -> dict[tuple, list[str]]:
    """The names of JAX's options, by (what each may be, its default). It must be what imports JAX:
    only then are the defaults JAX's, and not the environment's."""
    for variable in [name for name in os.environ if name.startswith("JAX_")]:
        del os.environ[variable]
    config = import_module("jax").config
    options: dict[tuple, list[str]] = {}
    for name, default in sorted(config.values.items()):
        options.setdefault((_kind(name, *config.meta[name]), _word(default)), []).append(name)
    return options


def _kind(name: str, kind: object, _: object, details: dict) -> object:
    """The name of a type, or the words that an option may be."""
    if "enum_class" in details:
        return tuple(word.name.lower() for word in details["enum_class"])
    return tuple(details["enum_values"]) if kind == "enum" else kind.__name__


def _word(default: object) -> object:
    return default.name.lower() if isinstance(default, Enum) else default


def text() -> str:
    """The whole of `minijax/face/jax_options.py`, as JAX has its options today."""
    options = recorded()
    lines = [HEAD.format(version=import_module("jax").__version__)]
    for key, names in sorted(options.items(), key=repr):
        kind, default = map(_literal, key)
        if isinstance(key[0], tuple):
            kind = "(\n" + textwrap.fill(kind[1:-1], 92, initial_indent=" " * 8,
                                         subsequent_indent=" " * 8) + ",\n    )"  # fmt: skip
        found = textwrap.fill(" ".join(names), 92, break_on_hyphens=False)
        lines.append(f'    ({kind}, {default}): """\n{textwrap.indent(found, " " * 8)}\n    """,\n')
    return "".join([*lines, "}\n"])


def _literal(value: object) -> str:
    return repr(value).replace("'", '"')


if __name__ == "__main__":
    print(text(), end="")
