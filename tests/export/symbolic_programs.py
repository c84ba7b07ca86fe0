"""Functions that are traced with symbolic shapes: each with the shapes of its arguments, as text.

The text reads the same under JAX. A shape that ends with a colon and a dtype has that dtype.
"""

SETUP = """\
def take_rows(x):
    return x[jnp.array([0, 0])]

def loop(x):
    return lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * 2), (0, x))[1]

def softmax(x):
    e = jnp.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)

def attention(q, k, v):
    return jnp.einsum('bqk,bkd->bqd', jax.nn.softmax(jnp.einsum('bqd,bkd->bqk', q, k)), v)

def conv(x, w, strides, padding):
    numbers = ('NHWC', 'HWIO', 'NHWC')
    return lax.conv_general_dilated(x, w, strides, padding, dimension_numbers=numbers)

def row_products(x):
    return lax.scan(lambda c, r: (c * r, None), jnp.ones(3), x)[0]

def pooled(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 3), (1, 1, 1), 'VALID')

def layer_norm(x):
    return (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5)
"""

PROGRAMS = {
    "elementwise": [
        ("b, 3", "lambda x: jnp.sin(x) * 2 + x"),
        ("b; b", "lambda x, y: jnp.where(x > y, x, y)"),
        ("b; 2*b", "lambda x, y: (x + 1, y.astype(int))"),
        ("b", "lambda x: jnp.clip(x, 0, 1) ** 2"),
        ("b, c", "lambda x: jnp.maximum(x, 0.5).astype('float16')"),
        ("b", "lambda x: (x > 0) & (x < 1)"),
    ],
    "broadcasting": [
        ("b, 3; 3", "lambda x, y: x + y"),
        ("b, 1; 1, c", "lambda x, y: x * y"),
        ("b", "lambda x: jnp.broadcast_to(x, (4, x.shape[0]))"),
        ("b, c", "lambda x: jnp.zeros(x.shape) + jnp.ones_like(x)"),
        ("b", "lambda x: jnp.full((x.shape[0], 2), 3.0)"),
        ("b, c; c", "lambda x, y: x[:, None] + y"),
        ("b", "lambda x: jnp.broadcast_arrays(x, 1.0)"),
    ],
    "reductions": [
        ("b, 3", "lambda x: x.sum()"),
        ("b, c", "lambda x: x.mean(0)"),
        ("b, c", "lambda x: (x.max(1), x.min(), x.prod(0))"),
        ("b, c", "lambda x: x.var(axis=1)"),
        ("b, c", "lambda x: x.std()"),
        ("b, 3", "lambda x: jnp.argmax(x, axis=0)"),
        ("b, c", "lambda x: jnp.argmin(x, axis=1)"),
        ("b", "lambda x: jnp.any(x > 0)"),
        ("b, c", "lambda x: jax.nn.logsumexp(x, axis=1)"),
        ("b, c", "lambda x: jnp.linalg.norm(x, axis=1)"),
        ("b, c", "softmax"),
        ("b, c", "layer_norm"),
        ("b, c", "lambda x: jax.nn.softmax(x, axis=-1)"),
    ],
    "products": [
        ("b, 3; 3, 4", "lambda x, y: x @ y"),
        ("b, c; c, d", "lambda x, y: x @ y"),
        ("b, c; b, c", "lambda x, y: jnp.vdot(x, y)"),
        ("b, c, 2; b, 2, d", "lambda x, y: x @ y"),
        ("b, c, d", "lambda x: jnp.einsum('ijk->ki', x)"),
        ("b, q, 4; b, k, 4; b, k, 4", "attention"),
        ("b, c; c", "lambda x, y: jnp.dot(x, y)"),
        ("b, c; c, 2", "lambda x, y: jnp.tensordot(x, y, 1)"),
        ("b; c", "lambda x, y: jnp.outer(x, y)"),
        ("b, c", "lambda x: lax.dot_general(x, x, (((1,), (1,)), ((0,), (0,))))"),
    ],
    "shapes": [
        ("b, 3", "lambda x: x.reshape(-1)"),
        ("b, 3", "lambda x: x.reshape(x.shape[0] * 3)"),
        ("2*b, 3", "lambda x: x.reshape(2, -1, 3)"),
        ("b, c", "lambda x: x.ravel()"),
        ("b, c, 2", "lambda x: x.reshape(x.shape[0], -1)"),
        ("b, c", "lambda x: x.T"),
        ("b, c, d", "lambda x: jnp.transpose(x, (2, 0, 1))"),
        ("b, c, d", "lambda x: jnp.moveaxis(x, 0, -1)"),
        ("b; c", "lambda x, y: jnp.concatenate([x, y])"),
        ("b, 2; c, 2", "lambda x, y: jnp.vstack([x, y])"),
        ("b; b", "lambda x, y: jnp.stack([x, y], 1)"),
        *((sizes, f"lambda x: jnp.{joined}") for sizes in ("b, 2", "b, c, 3") for joined in (
            "concatenate(x)", "concatenate(x, -1)", "concatenate(x, None, 'int32')", "hstack(x)",
            "vstack(x)", "dstack(x)", "column_stack(x)")),
        ("b", "lambda x: [f(x) for f in (jnp.hstack, jnp.vstack, jnp.dstack, jnp.column_stack)]"),
        ("b, 3", "lambda x: jnp.pad(x, ((1, 2), (0, 0)))"),
        ("b, 3", "lambda x: lax.pad(x, 0.0, ((1, 1, 1), (0, 0, 0)))"),
        ("b, 1, c", "lambda x: jnp.squeeze(x, 1)"),
        ("b, c", "lambda x: jnp.expand_dims(x, (0, 3))"),
        ("b", "lambda x: jnp.tile(x, 3)"),
        ("b, 2", "lambda x: jnp.repeat(x, 2, axis=0)"),
        ("b, c", "lambda x: jnp.flip(x, 0)"),
        ("b, c", "lambda x: jnp.split(x, [1], axis=0)[0]"),
        ("2*b", "lambda x: jnp.split(x, 2)"),
        ("b, c", "lambda x: jnp.swapaxes(x, 0, 1)"),
        ("b, c", "lambda x: lax.rev(x, (1,))"),
        ("b, c", "lambda x: jnp.roll(x, 1, axis=1)"),
    ],
    "indexing": [
        ("b, 3", "lambda x: x[0]"),
        ("b, 3", "lambda x: x[:, 1]"),
        ("b, 3", "lambda x: x[-1]"),
        ("b + 1, c", "lambda x: x[1:]"),
        ("b + 1, c", "lambda x: x[:-1]"),
        ("b", "lambda x: x[::-1]"),
        ("b", "lambda x: x[::2]"),
        ("b + 4", "lambda x: x[2:4]"),
        ("b, c", "lambda x: x[..., None, :]"),
        ("b, c", "take_rows"),
        ("b, c; n:int32", "lambda x, i: x[i]"),
        ("b, c; n:int32", "lambda x, i: jnp.take(x, i, axis=1)"),
        ("b, c; b, 1:int32", "lambda x, i: jnp.take_along_axis(x, i, axis=1)"),
        ("b, c", "lambda x: x.at[0].set(0.0)"),
        ("b, c; n:int32", "lambda x, i: x.at[i].add(1.0)"),
        ("b + 2", "lambda x: lax.dynamic_slice_in_dim(x, 1, 2)"),
        ("b, c", "lambda x: lax.dynamic_update_slice(x, jnp.zeros((1, 1)), (0, 0))"),
        ("b + 1", "lambda x: lax.slice_in_dim(x, 1, x.shape[0])"),
    ],
    "sizes": [
        ("b", "lambda x: x * x.shape[0]"),
        ("b, c", "lambda x: x.sum() / x.shape[0] + x.size"),
        ("b", "lambda x: jnp.arange(x.shape[0])"),
        ("b", "lambda x: x.shape[0] * x - 2 * x.shape[0]"),
        ("b", "lambda x: x.shape[0]"),
        ("b", "lambda x: jnp.arange(2 * x.shape[0] + 1, dtype='float32')"),
        ("b, c", "lambda x: lax.iota('int32', x.shape[1])"),
        ("b", "lambda x: jnp.eye(x.shape[0])"),
        ("b, b", "lambda x: jnp.tril(x)"),
        ("b", "lambda x: jnp.sqrt(x.shape[0]) + x"),
        ("b, c", "lambda x: jnp.array(x.shape[0] // 2) + (x.shape[1] % 2)"),
        ("b", "lambda x: jnp.minimum(jnp.arange(x.shape[0]), 2)"),
    ],
    "control": [
        ("b, 3", "lambda x: lax.scan(lambda c, r: (c + r, c.sum()), jnp.zeros(3), x)"),
        ("b", "lambda x: lax.scan(lambda c, r: (c * 2, c + r), 1.0, x, reverse=True)"),
        ("b, c", "loop"),
        ("b, c", "lambda x: lax.cond(x[0, 0] > 0, lambda y: y * 2, lambda y: -y, x)"),
        ("b", "lambda x: lax.fori_loop(0, x.shape[0], lambda i, c: c + i, 0)"),
        ("b, c", "lambda x: lax.map(lambda r: r * 2, x)"),
        ("b, c", "lambda x: jax.jit(lambda y: y + y.shape[0])(x)"),
        ("b", "lambda x: jax.checkpoint(jnp.sin)(x)"),
        ("b, c", "lambda x: lax.switch(1, [lambda y: y, lambda y: 2 * y], x)"),
    ],
    "transformed": [
        ("b, 3", "jax.vmap(lambda r: r / r.sum())"),
        ("b, c", "jax.vmap(lambda r: r * r.shape[0], in_axes=1, out_axes=0)"),
        ("b, 3", "jax.grad(lambda x: (jnp.sin(x) ** 2).mean())"),
        ("b, c; c", "jax.grad(lambda x, y: (x @ y).sum(), argnums=(0, 1))"),
        ("b", "lambda x: jax.jvp(jnp.cos, (x,), (x,))"),
        ("b, c", "jax.grad(lambda x: jax.nn.softmax(x)[:, 0].sum())"),
        ("b, 3", "jax.grad(lambda x: row_products(x).sum())"),
        ("b + 2", "jax.grad(lambda x: (x[1:] * x[:-1]).sum())"),
        ("b; c", "jax.vmap(jax.vmap(lambda x, y: x * y, (None, 0)), (0, None))"),
        ("b, 3", "jax.grad(lambda x: x.reshape(-1).sum() + x.max(0).sum())"),
        ("b, c", "jax.grad(lambda x: (jnp.concatenate([x, x]) ** 2).sum())"),
    ],
    "others": [
        ("b, c", "lambda x: jnp.cumsum(x, axis=0)"),
        ("b", "lambda x: jnp.cumprod(x)"),
        ("b, c", "lambda x: jnp.sort(x, axis=0)"),
        ("b, 3", "lambda x: jnp.argsort(x, axis=1)"),
        ("b, 8", "lambda x: lax.top_k(x, 3)"),
        ("b, 8, 8, 3; 3, 3, 3, 4", "lambda x, w: conv(x, w, (1, 1), 'SAME')"),
        ("b, 8, 8, 3; 3, 3, 3, 4", "lambda x, w: conv(x, w, (2, 2), 'VALID')"),
        ("b, h + 2, 8, 1; 3, 3, 1, 2", "lambda x, w: conv(x, w, (2, 1), 'VALID')"),
        ("b, h, 3", "pooled"),
        ("b", "lambda x: jax.nn.one_hot(x.astype(int), 4)"),
        ("b, c", "lambda x: jax.nn.relu(x) + jax.nn.gelu(x) + jax.nn.sigmoid(x)"),
        ("b", "lambda x: random.normal(random.key(0), (x.shape[0], 2))"),
        ("b, 2, 2", "lambda x: jnp.linalg.det(x)"),
        ("b, c", "lambda x: jnp.linalg.svdvals(x)"),
        ("b, c", "lambda x: jnp.abs(jnp.linalg.qr(x)[1])"),
        ("b, b", "lambda x: jnp.linalg.pinv(x)"),
        ("b, c", "lambda x: jnp.fft.fftshift(x)"),
        ("b, c", "lambda x: jnp.fft.ihfft(x)"),
        ("b", "lambda x: jnp.fft.fft(x)"),
        ("b", "lambda x: jnp.fft.ifft(x, norm='ortho')"),
        ("b", "lambda x: jnp.unwrap(x)"),
        ("b, c", "lambda x: jnp.median(x, axis=0)"),
        ("b", "lambda x: jnp.polyadd(x, x)"),
        ("b, c", "lambda x: jnp.roll(x, (1, 2), (0, 1))"),
        ("b + 1", "lambda x: jnp.diff(x)"),
        ("b, c", "lambda x: jnp.trapezoid(x, axis=1)"),
        ("b, b", "lambda x: jnp.trace(x)"),
        ("b, b", "lambda x: jnp.diagonal(x)"),
        ("b", "lambda x: jnp.histogram(x, 4)[0]"),
        ("b, c", "lambda x: jnp.cross(x[:, :1] * jnp.ones(3), jnp.arange(3.0))"),
        ("b", "lambda x: jnp.searchsorted(jnp.arange(4.0), x)"),
    ],
}  # fmt: skip
SIZES = ({"b": 3, "c": 2, "d": 5, "q": 2, "k": 3, "n": 4, "h": 4},
         {"b": 2, "c": 4, "d": 1, "q": 3, "k": 2, "n": 3, "h": 6})  # fmt: skip
