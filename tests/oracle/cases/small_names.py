"""`api_util`, and collectives that are others under another name."""

SETUP = """\
A = jax.api_util
tree = tree_util.tree_structure
x = jnp.arange(9.0).reshape(3, 3)

def along(f, *args, **kwargs):
    return jax.vmap(f, axis_name='i', **kwargs)(*args)
"""
DONATED = "A.donation_vector"

CASES = (
    f"{DONATED}((0,), (), tree(((1, (2, 3)), {{}}))), {DONATED}((5,), (), tree(((1, 2), {{}})))",
    f"{DONATED}((0,), ('b',), tree(((1, (2, 3)), {{'b': 1, 'c': (1, 2)}}))),"
    f" {DONATED}((1,), (), tree((1, (2, 3))), kws=False)",
    "A.flatten_axes('n', tree((1, (2, 3))), (0, None)), A.flatten_axes('n', tree((1, (2, 3))), 0),"
    " A.flatten_axes('n', tree(((1, 2), {})), 0, kws=True)",
    "[A.rebase_donate_argnums(d, s) for d, s in (((1, 3), (0,)), ((1, 3), (2,)), ((), (0,)))]",
    "A.safe_map(lambda x, y: x + y, [1, 2], [3, 4]), A.safe_map(abs, (-1,))",
    "[A.shaped_abstractify(v) for v in (1, 2.0, x, jax.ShapeDtypeStruct((2,), 'float16'))]",
    "[raised(f) for f in (lambda: A.shaped_abstractify('a'), lambda: A.safe_map(abs),"
    " lambda: A.flatten_axes('n', tree((1, (2, 3))), (0, (1,))),"
    " lambda: A.rebase_donate_argnums((0, 1), (0,)))]",
    "[along(lambda x: lax.pshuffle(x, 'i', p), x) for p in ((1, 2, 0), (0, 1, 2), [2, 1, 0])]",
    "along(lambda x: lax.pshuffle(x, 'i', (1, 2, 0)), (x, 2 * x)),"
    " along(lambda x: lax.pswapaxes(x, 'i', 0), {'a': x})",
    "y = jnp.arange(27.0).reshape(3, 3, 3)\n[along(lambda x: lax.pswapaxes(x, 'i', d), y)"
    " for d in (0, 1)]",
    "[raised(f) for f in (lambda: along(lambda x: lax.pshuffle(x, 'i', (0, 0, 1)), x),"
    " lambda: lax.pswapaxes(x, 'j', 0),"
    " lambda: along(lambda x: lax.pswapaxes(x, 'i', 0), x[:, :2]))]",
)
