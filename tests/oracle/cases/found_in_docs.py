"""What JAX's documentation uses, and nothing else had tried: each of these differed once."""

SETUP = """\
from array import array
F = jnp.array([3.0, -1.0, 2.5, 4.0])
M = jnp.array([[2.0, -1.0, 0.5], [4.0, jnp.nan, 1.5]])
W = jnp.array([[1.0, 2.0, 0.0], [3.0, 1.0, 2.0]])
Z = jnp.array([1.26 + 2.5j, -0.5 - 1.75j])
KEY = random.key(3)
DATA = random.key_data(KEY)

def at(q, x, **options):
    return [f(x, q, method='inverted_cdf', **options) for f in (jnp.quantile, jnp.nanquantile)]
"""
QUANTILES = [
    "at(0.3, M), at(0.5, M, axis=1), at(jnp.array([0.0, 0.5, 1.0]), M, axis=0, keepdims=True)",
    "at(0.6, M, weights=W), at(0.6, M, axis=1, weights=W), at(jnp.array([0.2, 0.9]), M, weights=W, "
    "axis=(1, 0), keepdims=True)",
    "at(0.5, M, axis=1, weights=W[0]), at(0.5, M, axis=0, weights=jnp.array([2, 1]))",
    "at(0.5, F, weights=-F), at(0.5, F, weights=0 * F), at(0.5, M, weights=W * jnp.nan)",
    "at(0.5, jnp.arange(5), weights=jnp.arange(5)), at(0.5, 2.0), at(0.5, 2.0, keepdims=True)",
    "jnp.percentile(F, jnp.array([20, 80]), method='inverted_cdf'), jnp.nanpercentile(M, 40, "
    "axis=1, method='inverted_cdf', weights=W)",
    "jax.grad(lambda x: at(0.5, x)[0])(F), jax.vmap(lambda x, q: at(q, x)[1])(M, W[:, 0] / 5)",
    "[raised(lambda: at(0.5, M, weights=w, **k)) for w, k in ((W[0], {}), (W, {'axis': 2}), "
    "(W[0], {'axis': 0}), (W * 1j, {}), ([1, 2], {}))]",
    "[raised(lambda: jnp.quantile(F, 0.5, weights=F, method=m)) for m in ('linear', 'none')]",
]
NUMBERS = [
    "jnp.round(Z), jnp.round(2 * Z, 20), jnp.round(Z * 1j, -1), jnp.round(1.25 + 2j, 1)",
    "jax.make_jaxpr(jnp.round)(Z), jax.make_jaxpr(lambda z: jnp.round(z, 1))(Z)",
    "[jax.grad(f)(3.0 - 4j) for f in (jnp.real, jnp.imag, lambda z: jnp.real(jnp.conj(z)), "
    "lambda z: jnp.real(z)**2 + jnp.imag(z)**2)]",
    "jnp.real(2.0), jnp.imag(2), jnp.conj(1 + 2j), jnp.real(np.array([1 + 2j]))",
    "jnp.array(array('i', [1, 2])), jnp.asarray(array('d', [1, 2])), jnp.array(bytearray(b'ab')), "
    "jnp.array(memoryview(np.ones((2, 1)))), jnp.array([array('i', [1, 2]), (3, 4)]), "
    "jnp.array(array('q', [3, 4]), 'int8')",
    "[raised(lambda: jnp.array(x)) for x in (b'ab', memoryview(np.array(['a'])))], "
    "raised(lambda: jnp.sum(array('i', [1])))",
    "lax.broadcast_in_dim(M, (3, 2), (1, 0)), lax.broadcast_in_dim(W[:1], (3, 4, 2), (2, 0)), "
    "jax.vmap(lambda x: lax.broadcast_in_dim(x[None], (3, 2), (1, 0)))(W)",
    "[raised(lambda: lax.broadcast_in_dim(W, s, d)) for s, d in (((3, 2), (1, 1)), ((2, 3), "
    "(1, 0)), ((3, 2), (1,)), ((3, 2), (0, 1)))]",
]
KEYS = [
    "random.wrap_key_data(DATA, dtype=KEY.dtype), random.wrap_key_data(DATA, dtype='threefry2x32')"
    ", random.wrap_key_data(DATA, impl=KEY.dtype)",
    "raised(lambda: random.wrap_key_data(DATA, dtype=KEY.dtype, impl='threefry2x32')), "
    "raised(lambda: random.wrap_key_data(DATA, dtype=np.float32))",
]
PLACES = [
    "jax.device_count(), jax.local_device_count(), jax.process_count(), jax.process_index(), "
    "jax.process_indices(), jax.local_devices() == jax.devices(), jax.effects_barrier()",
    "[raised(lambda: jax.local_devices(process_index=i)) for i in (0, 1)], "
    "raised(lambda: jax.device_count('gpux'))",
    "s = F.sharding\nrepr(s), s == W.sharding, s.device_set == F.devices(), s.memory_kind, "
    "s.num_devices, s.is_fully_replicated, s.shard_shape((2, 3)), s.is_equivalent_to(s, 1)",
    "s = jax.sharding.SingleDeviceSharding(jax.devices()[0])\nrepr(s), s == F.sharding, "
    "hash(s) == hash(jax.sharding.SingleDeviceSharding(jax.devices()[0])), "
    "jax.device_put(F, s).sharding, s.with_memory_kind('device') == F.sharding, "
    "list(s.devices_indices_map((2, 3)).values())",
]
FUNCTIONS = [
    "fwd, bwd = jax.fwd_and_bwd(lambda x, y: x * jnp.sin(y), (0, 1))\n"
    "out, kept = fwd(F, 2 * F)\nout, bwd(kept, F)",
    "fwd, bwd = jax.fwd_and_bwd(lambda x, y: (x * y, {'y': y}), 1, has_aux=True, jitted=False)\n"
    "out, kept, aux = fwd(F, 2 * F)\nout, aux, bwd(kept, F)",
    "traced = []\nfwd, bwd = jax.fwd_and_bwd(lambda x: (traced.append(0), jnp.cos(x))[1], 0)\n"
    "[bwd(fwd(x)[1], 1.0) for x in (1.0, 2.0)], len(traced)",
    "raised(lambda: jax.fwd_and_bwd(3, 0)), raised(lambda: jax.fwd_and_bwd(jnp.sin, 1)[0](1.0))",
    "@jax.custom_vjp\n@jax.custom_batching.custom_vmap\ndef f(x, y):\n    return x * y\n"
    "@f.def_vmap\ndef rule(size, mapped, x, y):\n    return x - y, True\n"
    "f.defvjp(lambda x, y: (f(x, y), y), lambda y, ct: (ct, 3 * ct * y))\n"
    "f(2.0, 3.0), jax.vmap(f)(F, F + 1), jax.grad(f, (0, 1))(2.0, 3.0)",
    "raised(lambda: jax.custom_jvp(jnp.sin).def_vmap), raised(lambda: jax.custom_jvp(abs).rule)",
]

CASES = QUANTILES + NUMBERS + KEYS + PLACES + FUNCTIONS
