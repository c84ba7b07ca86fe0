"""A mistake for each `raise` of what partitions programs."""

SETUP = """\
import importlib
S = importlib.import_module(f'{jax.__name__}.sharding')
P, NamedSharding, AxisType = S.PartitionSpec, S.NamedSharding, S.AxisType
MESH = jax.make_mesh((4, 2), ('x', 'y'), axis_types=(AxisType.Auto,) * 2)
EXPLICIT = NamedSharding(jax.make_mesh((4, 2), ('x', 'y')), P('x'))
ROWS, COLUMNS = NamedSharding(MESH, P('x')), NamedSharding(MESH, P(None, 'y'))
X = np.ones((8, 2), np.float32)
A = jax.device_put(X, ROWS)
constrain = jax.lax.with_sharding_constraint
"""

_MISTAKES: dict[str, dict[str, str]] = {
    "lax.with_sharding_constraint": {
        "constrain(X, P('x'))": "got P('x',), and no mesh is set. Give a NamedSharding",
        "constrain(X, 'x')": "takes shardings, and got 'x'. Give a P(...).",
        "constrain({'a': X}, [ROWS])": "'s shardings does not fit the tree that it describes at",
        "constrain(X[:3], ROWS)": "divides axis 0",
        "jax.jit(lambda x: constrain(x, ROWS))(X[0, 0])": "speaks of 1 axes, and an array",
    },
    "reshard": {
        "jax.reshard(X, P('x'))": "reshard got P('x',), and no mesh is set. Give a NamedSharding",
        "jax.reshard(X, 'x')": "reshard takes shardings, and got 'x'. Give a P(...).",
        "jax.reshard(X, ROWS)": "and moves arrays along axes that are Explicit.",
        "constrain(X, EXPLICIT)": "and is for axes that are",
    },
    "jit": {
        "jax.jit(lambda x: x, in_shardings='x')": "in_shardings are shardings, specs or None, and",
        "jax.jit(lambda x: x, out_shardings=[3])": "out_shardings are shardings, specs or None,",
        "jax.jit(lambda x: x, in_shardings=ROWS)(x=X)":
            "has in_shardings, which are of positional arguments, and got",
        "jax.jit(lambda x: x, in_shardings=COLUMNS)(A)":
            "takes float32[8,2] as NamedSharding(..., P(None, 'y'))",
        "jax.jit(lambda x: x, out_shardings=ROWS)(X[:3])": "jit's out_shardings:",
        "jax.jit(lambda x: x, in_shardings=P('x'))(X)": "got P('x',), and no mesh is set.",
    },
}  # fmt: skip
# Where JAX has no error, or one of another class, or does what is not here yet.
_OURS: dict[str, dict[str, str]] = {
    "lax.with_sharding_constraint": {
        "constrain(X, NamedSharding(MESH.abstract_mesh, P('x')))":
            "which is on no devices.",
    },
    "auto_axes": {
        "S.auto_axes(lambda x: x)(X)": "auto_axes needs out_sharding, and got none. Give it",
        "S.auto_axes(lambda x: x, axes='z', out_sharding=P())(X)": "auto_axes got axes 'z', and",
    },
    "explicit_axes": {
        "S.explicit_axes(lambda x: x)(X)": "explicit_axes needs in_sharding, and got none. Give it",
    },
    "jit": {
        "jax.jit(lambda x: x, out_shardings=NamedSharding(EXPLICIT.mesh, P(unreduced={'y'})))(X)":
            "arrays of unreduced sums are not",
        "jax.jit(lambda x: x, backend='cpu', in_shardings=ROWS)":
            "got backend 'cpu' and shardings, which say where it runs. Leave the",
    },
    "reshard": {
        "jax.reshard(X, NamedSharding(EXPLICIT.mesh, P('x', unreduced={'y'})))":
            "arrays of unreduced sums are not",
        "jax.reshard(X[:3], EXPLICIT)": "reshard: NamedSharding(..., P('x',)) divides",
        "jax.reshard(X, NamedSharding(EXPLICIT.mesh.abstract_mesh, P('x')))":
            "which is on no devices.",
    },
}  # fmt: skip
MESSAGES = {case: words for cases in _MISTAKES.values() for case, words in cases.items()}
OURS = {case: words for cases in _OURS.values() for case, words in cases.items()}
NAMES = {
    case: name
    for table in (_MISTAKES, _OURS)
    for name, cases in table.items()
    for case in cases
}  # fmt: skip
CASES = tuple(MESSAGES)
