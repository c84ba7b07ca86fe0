"""A mistake for each `raise` of options and what they have checked, of structures of trees, and of
what else is taken beside arrays."""

SETUP = """\
F, M = jnp.arange(3.0), jnp.ones((2, 3))
T, R = jax.tree.structure([1, (2,)]), jax.tree_util.default_registry
make = type(T).from_node_data_and_children
linalg = __import__(f'{jax.__name__}.scipy.linalg', fromlist=['hilbert'])
image = __import__(f'{jax.__name__}.image', fromlist=['resize'])

def under(context, f, *args):
    with context:
        return f(*args)
"""
WITH_JAX = {
    "log": {
        "under(jax.debug_nans(True), jnp.log, -F)": "log gave NaN in float32[3], 2 of 3, the first",
        "under(jax.debug_nans(True), jax.jit(jnp.log), -F)": "Its operands have none.",
        "under(jax.debug_nans(True), jax.jit(jax.checkpoint(jnp.log)), -F)": "Give it other opera",
        "under(jax.debug_infs(True), jnp.log, F)": "log gave infinity in float32[3], 1 of 3, the",
    },
    "exp": {
        "x = F * float('nan')\nunder(jax.debug_nans(True), jnp.exp, x)": "It was given one. Give",
    },
    "jnp.array": {
        "under(jax.debug_nans(True), jnp.array, [float('nan')])": "jnp.array gave NaN in float32[",
    },
    "jit": {
        "under(jax.debug_nans(True), jax.jit(lambda: float('nan')))": "None of its operations does",
    },
    "jnp.add": {
        "under(jax.numpy_rank_promotion('raise'), jnp.add, F, M)":
            "got float32[3], float32[2,3], of several ranks, with",
    },
    "random.bits": {
        "under(jax.legacy_prng_key('error'), random.bits, random.PRNGKey(0))":
            "got a raw key, an array of words, and jax_legacy_prng_key is 'error'.\nMake a typed",
    },
    "jax_no_tracing": {
        "def f(x):\n    return x\nunder(jax.no_tracing(True), jax.jit(f), F)":
            "would be traced anew, and jax_no_tracing is on. Call",
    },
    "jnp.var": {"jnp.var(F, ddof=1, correction=1)": "got both ddof=1 and correction=1,"},
    "jnp.asarray": {"jnp.asarray(F, order='F')": "lays out its elements itself, and got order="},
    "scipy.special.betainc": {"jax.scipy.special.betainc(F, F)": "takes a, b, x, and this call do"},
    "jnp.vectorize": {
        "jnp.vectorize(lambda x: (x, x), signature='(n)->(n)')(F)": "as result 0.\nReturn an array",
    },
    "jnp.lexsort": {"jnp.lexsort(3)": "takes a list of arrays as keys, and got"},
    "jnp.fft.fftfreq": {"jnp.fft.fftfreq('a')": "takes an integer as n, and got 'a'. Give"},
    "scipy.linalg.hilbert": {"linalg.hilbert(-1)": "takes a size from 0 as n, and got"},
    "PyTreeDef.compose": {"T.compose(3)": "takes a PyTreeDef as inner_treedef, and got"},
    "PyTreeDef.from_node_data_and_children": {
        "make(R, 3, [])": "takes a class and its data, or None,",
        "make(R, (int, None), [])": "got the class <class 'int'>, whose",
        "make(R, (dict, ['a']), [])": "got 0 children for node_data=(<class",
    },
    "PyTreeDef.walk": {
        "T.walk(lambda xs, data: 0, abs, [1, 2, 3])": "got more leaves. Give 2 for PyTreeDef(",
        "T.walk(lambda xs, data: 0, abs, [])": "got fewer leaves than it has. Give one for each.",
    },
    "PyTreeDef.from_iterable_tree": {"T.from_iterable_tree([1])": "got 1 items for PyTreeDef([*"},
}
OURS_BY_NAME = {
    "config.config_with_absl": {
        "__import__('sys').modules['absl'] = None\njax.config.config_with_absl()":
            "config.config_with_absl makes flags of absl's, and absl is not installed.\nCall",
    },
    "jit": {
        "f = jax.jit(lambda x: 1 / x, donate_argnums=0)\nunder(jax.debug_infs(True), f, F)":
            "so it can't be run again to see where. Give it other",
    },
    "<lambda>": {
        "from minijax.core.errors import api_boundary\n"
        "from minijax.face.nan_checks import call_as_one\nnan = F * float('nan')\n"
        "under(jax.debug_nans(True), api_boundary(call_as_one), lambda x: [nan], (F,), {})":
            "gave NaN in float32[3], 3 of 3, the first at [0]. None of its steps",
    },
    "jnp.array": {
        "under(jax.transfer_guard('disallow'), jnp.array, [1.0])":
            "was given 1.0 of the host, ~float32[], and\njax_transfer_guard_host_to_device is 'd",
    },
    "device_put": {
        "under(jax.transfer_guard('disallow_explicit'), jax.device_put, 1.0)": "Make the array be",
    },
    "live_arrays": {"jax.live_arrays('gpu')": "live_arrays knows no platform 'gpu'. Give 'cpu'"},
    "config.values": {"jax.config.read('x')": "There is no option 'x'. Give one of"},
    "image.resize": {"image.resize(M, (-1, 3), 'linear')": "got the shape (-1, 3). Give sizes"},
    "PyTreeDef.serialize_using_proto": {
        "T.serialize_using_proto()": "would write a message of protobuf's.",
    },
    "PyTreeDef.deserialize_using_proto": {
        "T.deserialize_using_proto(R, b'')": "would read a message of protobuf's.",
    },
}  # fmt: skip

MESSAGES = {case: words for cases in WITH_JAX.values() for case, words in cases.items()}
OURS = {case: words for cases in OURS_BY_NAME.values() for case, words in cases.items()}
NAMES = {
    case: name for table in (WITH_JAX, OURS_BY_NAME) for name, cases in table.items()
    for case in cases
}  # fmt: skip
CASES = tuple(MESSAGES)
