"""Print which names JAX has, module by module, as `minijax/face/jax_names.py` holds them.

To renew that file, where JAX is: `python tests/golden/record_names.py > minijax/face/jax_names.py`.
"""

import os
import textwrap
from importlib import import_module
from pathlib import Path

os.environ.setdefault("JAX_PLATFORMS", "cpu")

DISTRIBUTIONS = """
    bernoulli beta betabinom binom cauchy chi2 dirichlet expon gamma gennorm geom gumbel_l gumbel_r
    laplace logistic multinomial multivariate_normal nbinom norm pareto poisson t truncnorm uniform
    vonmises wrapcauchy""".split()
MODULES = (
    "", ".ad_checkpoint", ".api_util", ".core", ".custom_batching", ".custom_derivatives", ".debug",
    ".dlpack", ".dtypes", ".errors", ".experimental", ".experimental.checkify",
    ".experimental.layout", ".experimental.mesh_utils", ".experimental.multihost_utils",
    ".experimental.pallas", ".export",
    ".extend.core", ".extend.core.primitives", ".flatten_util", ".image", ".interpreters",
    ".interpreters.ad", ".interpreters.batching", ".interpreters.partial_eval", ".lax",
    ".lax.linalg", ".monitoring", ".nn", ".nn.initializers", ".numpy", ".numpy.fft",
    ".numpy.linalg", ".ops", ".profiler", ".random", ".ref", ".scipy", ".scipy.cluster",
    ".scipy.cluster.vq", ".scipy.fft", ".scipy.integrate", ".scipy.interpolate", ".scipy.linalg",
    ".scipy.ndimage", ".scipy.optimize", ".scipy.signal", ".scipy.sparse", ".scipy.sparse.linalg",
    ".scipy.spatial.transform", ".scipy.special", ".scipy.stats",
    *(f".scipy.stats.{name}" for name in DISTRIBUTIONS),
    ".sharding", ".test_util", ".tree", ".tree_util", ".typing",
)  # fmt: skip
WITH_IMPORTS = {".experimental.multihost_utils"}  # what these import has public names there
HEAD = '''\
"""The public names of JAX {version}, by the module of this package that answers to theirs.

They are read off JAX by tests/golden/record_names.py, and only to say of a name that it is not
here yet: see `minijax/face/planned.py`; and of a module: see `minijax/face/runtime_as_jax.py`.
"""

JAX_NAMES = {{
'''


def public_names(module: str) -> list[str]:
    found = import_module(f"jax{module}")
    names = sorted(name for name in dir(found) if not name.startswith("_"))
    if module not in WITH_IMPORTS:
        return names
    home = {name: getattr(getattr(found, name), "__module__", "") for name in names}
    return [name for name in names if home[name] == found.__name__]


def public_modules() -> list[str]:
    """JAX's modules but for those deep in its experiments, by their names within the package."""
    root = Path(import_module("jax").__file__).parent
    found = []
    for file in root.rglob("*.py"):
        parts = file.relative_to(root).with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        is_deep = parts[:1] == ("experimental",) and len(parts) > 2
        is_deep &= parts[1:2] != ("compilation_cache",)
        if parts and not is_deep and not any(part.startswith("_") for part in parts):
            found.append(".".join(parts))
    return sorted(found)


def block(names: list[str]) -> str:
    """The names as lines of a text."""
    lines = textwrap.wrap(" ".join(names), 92, break_on_hyphens=False)
    return "\n".join(f"        {line}" for line in lines)


def text() -> str:
    """The whole of `minijax/face/jax_names.py`, as JAX has its names today."""
    parts = [HEAD.format(version=import_module("jax").__version__)]
    for module in MODULES:
        parts.append(f'    "minijax{module}": """\n{block(public_names(module))}\n    """,\n')
    return "".join([*parts, f'}}\n\nJAX_MODULES = """\n{block(public_modules())}\n"""\n'])


if __name__ == "__main__":
    print(text(), end="")
