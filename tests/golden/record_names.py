"""Print which names JAX has, module by module, as `minijax/jax_names.py` holds them.

To renew that file, where JAX is: `python tests/golden/record_names.py > minijax/jax_names.py`.
"""

import os
import textwrap
from importlib import import_module

os.environ.setdefault("JAX_PLATFORMS", "cpu")

MODULES = (
    "", ".core", ".custom_batching", ".custom_derivatives", ".dtypes", ".errors", ".lax", ".nn",
    ".nn.initializers", ".numpy", ".random", ".scipy.special", ".tree", ".tree_util",
)  # fmt: skip
HEAD = '''\
"""The public names of JAX {version}, by the module of this package that answers to theirs.

They are read off JAX by tests/golden/record_names.py, and only to say of a name that it is not
here yet: see `minijax/planned.py`.
"""

JAX_NAMES = {{
'''


def public_names(module: str) -> list[str]:
    return sorted(name for name in dir(import_module(f"jax{module}")) if not name.startswith("_"))


def text() -> str:
    """The whole of `minijax/jax_names.py`, as JAX has its names today."""
    parts = [HEAD.format(version=import_module("jax").__version__)]
    for module in MODULES:
        lines = textwrap.wrap(" ".join(public_names(module)), 92)
        names = "\n".join(f"        {line}" for line in lines)
        parts.append(f'    "minijax{module}": """\n{names}\n    """,\n')
    return "".join([*parts, "}\n"])


if __name__ == "__main__":
    print(text(), end="")
