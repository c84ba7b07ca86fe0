"""Functions that take an object with `__jax_array__` in an array's place, and others that don't."""

SETUP = """\
import importlib

def module(name):
    return importlib.import_module(f'{jax.__name__}.{name}')

N, fft, nn, ops, image = jnp.linalg, jnp.fft, jax.nn, jax.ops, module('image')
S, sfft, linalg, signal, norm, gamma = (module(f'scipy.{name}') for name in (
    'special', 'fft', 'linalg', 'signal', 'stats.norm', 'stats.gamma'))
F, M, Q, I = jnp.arange(3.0), jnp.ones((2, 3)), 2 * jnp.eye(2), jnp.arange(3)
B, K = I > 1, random.key(0)

class Like:
    def __init__(self, x):
        self.x = x
    def __jax_array__(self):
        return self.x

L, O = Like(F), Like(jnp.ones(2) / 4)

@jax.tree_util.register_pytree_node_class
class Node(Like):  # a node of a pytree is taken by what is a program of jit's
    def tree_flatten(self):
        return (self.x,), None
    def tree_unflatten(data, leaves):
        return Node(*leaves)

def gradient(f):
    return jax.grad(lambda x: jnp.sum(f(Node(x))))(F)

D = Node(F)

def types(*xs):
    return [jax.typeof(x) for x in jax.tree.leaves(xs)]
"""
# Taken: what comes of it has values of its own, or is the same to the eye.
VALUES = """
jnp.stack([L, F])
jnp.concatenate([L, F]), jnp.concat([L, F]), jnp.dstack([F, L]), jnp.column_stack([F, L])
jnp.select([B, B], [L, F]), jnp.choose(I, [L, F, F])
jnp.broadcast_arrays(L, M), jnp.ix_(Like(I), I), jnp.meshgrid(L, F)
jnp.einsum('i,i->', L, F), jnp.einsum('i,j->ij', F, L), jnp.einsum(L, (0,), F, (0,))
jnp.array_split(L, 2), jnp.split(L, 3), jnp.hsplit(L, 3)
jnp.insert(L, 1, 5.0), jnp.insert(F, 1, L), jnp.delete(L, 1)
jnp.reshape(L, (3, 1)), jnp.reshape(L, 3), jnp.pad(L, 1)
jnp.shape(L), jnp.ndim(L), jnp.size(L), jnp.size(Like(M), 1)
jnp.full_like(L, 2.0), jnp.zeros_like(L), jnp.ones_like(L), jnp.empty_like(L)
jnp.full_like(F, Like(jnp.float32(2))), jnp.astype(L, 'int32'), jnp.copy(L)
jnp.where(L), jnp.nonzero(L), jnp.argwhere(L)
jnp.expand_dims(L, 0), jnp.squeeze(L), jnp.transpose(L), jnp.moveaxis(L, 0, 0)
jnp.permute_dims(L, (0,)), jnp.matrix_transpose(Like(M)), jnp.broadcast_to(L, (2, 3))
jnp.flip(L), jnp.roll(L, 1), jnp.repeat(L, 2), jnp.tile(L, 2), jnp.fliplr(Like(M))
jnp.std(L), jnp.var(L), jnp.ptp(L), jnp.argmax(L), jnp.nanargmin(L)
jnp.cumulative_sum(L), jnp.cumulative_prod(L), jnp.bincount(Like(I)), jnp.trim_zeros(L)
jnp.unique(L), jnp.unique_counts(L), jnp.isin(L, F), jnp.union1d(L, F), jnp.setdiff1d(L, F)
jnp.power(L, 2), jnp.power(L, F), jnp.pow(L, 2), jnp.power(2.0, L)
jnp.polymul(L, F), jnp.roots(Like(jnp.array([1.0, 2.0]))), jnp.compress(B, L)
jnp.diag(L), jnp.tensordot(L, F, 1), jnp.vecdot(L, F), jnp.isposinf(L)
jnp.fill_diagonal(Like(M), 1, inplace=False), jnp.put(L, I, F, inplace=False)
jnp.vectorize(lambda x: x + 1)(L)
jnp.unravel_index(Like(I), (2, 2)), jnp.tril_indices_from(Like(Q))
N.matmul(Like(M), L), N.vector_norm(L), N.outer(L, F), N.cross(L, F), N.trace(Like(Q))
N.multi_dot([Like(M), M.T, M]), N.matrix_norm(Like(Q)), N.svdvals(Like(Q))
fft.fft(L), fft.irfft(L), fft.fftshift(L), sfft.dct(L)
nn.gelu(L), nn.one_hot(Like(I), 3), nn.logsumexp(L)
nn.dot_product_attention(*[Like(jnp.ones((1, 2, 1, 2)))] * 3)
random.categorical(K, L), random.choice(K, L), random.fold_in(K, Like(3))
ops.segment_sum(L, I), ops.segment_sum(F, Like(I)), ops.segment_max(L, I)
linalg.toeplitz(L), linalg.circulant(L), signal.detrend(L), signal.istft(Like(M), nperseg=2)
jnp.sin(D), jnp.mean(D), jnp.add(D, 1), jnp.where(True, D, F), jnp.sort(D), jnp.dot(D, F)
jnp.clip(F, D, 1), jnp.maximum(F, D), jnp.outer(D, D), N.norm(D), nn.relu(D), nn.softmax(D)
jnp.linspace(D, 1.0, 3), jnp.take(D, I), jnp.isfinite(D), jnp.allclose(D, F), nn.silu(D)
random.uniform(K, (3,), minval=D), jnp.logaddexp(F, D), jnp.cumsum(D), jnp.inner(D, F)
[gradient(f) for f in (jnp.sin, jnp.mean, nn.relu, jnp.asarray, lambda x: jnp.add(x, x))]
[f(O) for f in (S.gamma, S.gammaln, S.digamma, S.erf, S.i0, S.i1e, S.expit, S.entr, S.spence)]
S.beta(O, 2.0), S.betainc(O, 1.0, 0.5), S.comb(O, 1.0), S.polygamma(1, O), S.multigammaln(O, 1)
S.rel_entr(O, O), S.gammainc(O, O), S.boxcox(O, 2.0), S.logsumexp(O), S.factorial(O)
norm.pdf(L), norm.logcdf(L), gamma.logpdf(O, 2.0)
lax.convert_element_type(L, 'int32')
jnp.eye(3, k=Like(1)), jnp.full(3, Like(2), 'float32')
random.poisson(K, Like(3.0)), random.poisson(K, L, (3,)), random.key_data(random.key(Like(3)))
jax.jit(lambda x: jnp.stack([Like(x), x]))(F)
jax.jit(lambda x: jnp.reshape(Like(x), (3, 1)))(F)
jax.grad(lambda x: jnp.sum(jnp.concatenate([Like(x), x])))(F)
jax.vmap(lambda x: jnp.power(Like(x), 2.0))(F)
jax.make_jaxpr(lambda x: jnp.expand_dims(Like(x), 0))(F)
jnp.reshape(Like([1.0]), 1), jnp.reshape(Like(L), 3), jnp.reshape(Like(np.arange(3)), 3)
types(jnp.reshape(Like(2.0), 1), jnp.ones_like(Like(True)))
types(*(f(Like(jnp.asarray(2))) for f in (jnp.array, jnp.asarray, jnp.squeeze, jnp.zeros_like)))
"""
# Refused, each with the class of its own.
REFUSED = """
jnp.stack(L)
jnp.concatenate(L)
jnp.vstack([F, L])
jnp.block([L, F])
jnp.lexsort([L, F])
jnp.ravel(L)
jnp.append(L, F)
jnp.where(L, 1, 0)
jnp.where(B, L, F)
jnp.swapaxes(L, 0, 0)
jnp.median(L)
jnp.cumsum(L)
jnp.searchsorted(L, F)
lax.sin(D)
lax.add(D, D)
jnp.arange(D)
jnp.diff(L)
jnp.resize(L, (4,))
jnp.inner(L, F)
fft.hfft(L)
nn.relu(L)
F[Like(I)]
F.at[Like(I)].set(0.0)
F.take(Like(I))
jnp.reshape(Like(None), 1)
jnp.transpose(Like({}))
random.split(Like(K))
lax.sin(L)
jnp.result_type(L)
jnp.eye(Like(3))
jnp.eye(3, k=L)
jnp.arange(Like(3))
jnp.arange(0, 3, Like(1))
jnp.full(3, L)
jnp.tri(3, 3, Like(1))
random.permutation(K, L)
random.beta(K, L, 2.0)
random.beta(K, 2.0, L)
random.chisquare(K, L)
random.f(K, L, L)
random.lognormal(K, L)
random.multinomial(K, Like(3.0), O)
random.multivariate_normal(K, L, Q)
random.pareto(K, L)
random.rayleigh(K, L)
random.t(K, L)
random.triangular(K, L, L, L)
random.wald(K, L)
random.gamma(K, L)
random.exponential(Like(K))
random.uniform(K, (3,), minval=L)
jnp.linspace(L, 1)
random.choice(K, Like(3))
random.choice(K, F, p=L)
jnp.diag(F, k=Like(1))
jnp.repeat(F, 2, Like(0))
jnp.tile(F, Like(2))
jnp.array_split(F, Like(3))
jnp.pad(F, Like(1))
jnp.pad(F, 1, constant_values=Like(1.0))
jnp.bincount(I, weights=L)
jnp.bincount(I, length=Like(3))
jnp.flip(F, Like(0))
jnp.std(F, ddof=Like(1))
jnp.reshape(F, Like(3))
jnp.moveaxis(M, Like(0), 1)
nn.one_hot(I, Like(3))
ops.segment_sum(F, I, Like(3))
fft.fft(F, Like(4))
jnp.linspace(0, 1, Like(3))
jnp.put(F, 1, Like(2.0), inplace=False)
"""
CASES = (
    *VALUES.strip().split("\n"),
    *(f"raised(lambda: {call})" for call in REFUSED.strip().split("\n")),
)
