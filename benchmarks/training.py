"""Training: a step of gradient descent, jitted whole, as people write it."""

from benchmarks.data import labels, normals, weights


def make_mlp(lib, size):
    """Weights and biases of a perceptron 784-`size`-`size`-10."""
    widths = (784, size, size, 10)
    return [
        (weights(lib, n, m, seed=i), lib.numpy.zeros(m))
        for i, (n, m) in enumerate(zip(widths, widths[1:], strict=False))
    ]


def mlp(lib, layers, x):
    for w, b in layers[:-1]:
        x = lib.nn.relu(x @ w + b)
    w, b = layers[-1]
    return x @ w + b


def cross_entropy(lib, logits, classes):
    """The mean of -log p(class)."""
    chosen = lib.nn.one_hot(classes, logits.shape[-1])
    return -lib.numpy.mean(lib.numpy.sum(chosen * lib.nn.log_softmax(logits), axis=-1))


def descent(lib, loss, rate=0.1):
    """A jitted step: parameters and a batch in, parameters and the loss out."""
    @lib.jit
    def step(parameters, *batch):
        value, slopes = lib.value_and_grad(loss)(parameters, *batch)
        return lib.tree.map(lambda p, g: p - rate * g, parameters, slopes), value

    return step


def mlp_step(lib, size=512):
    """784-`size`-`size`-10 on 128 examples: forward, backward and the update."""
    def loss(layers, x, classes):
        return cross_entropy(lib, mlp(lib, layers, x), classes)

    return descent(lib, loss), (make_mlp(lib, size), normals(lib, 128, 784), labels(lib, 128, 10))


def standardised(lib, x):
    centred = x - lib.numpy.mean(x, axis=-1, keepdims=True)
    variance = lib.numpy.mean(centred**2, axis=-1, keepdims=True)
    return centred * lib.lax.rsqrt(variance + 1e-5)


def attention(lib, queries, keys, values, heads=4):
    """Causal attention (Vaswani et al., 2017); each operand is batch, place, width."""
    def split(x):
        *batch, width = x.shape
        return lib.numpy.swapaxes(x.reshape(*batch, heads, width // heads), 1, 2)

    q, k, v = split(queries), split(keys), split(values)
    scores = q @ lib.numpy.swapaxes(k, 2, 3) / q.shape[-1] ** 0.5
    places = lib.numpy.arange(q.shape[2])
    scores = lib.numpy.where(places[:, None] >= places, scores, -1e9)
    return lib.numpy.swapaxes(lib.nn.softmax(scores) @ v, 1, 2).reshape(queries.shape)


def transformer_step(lib, size=64):
    """A block of width 128 with 4 heads, on 8 sequences of `size`: forward, backward, update."""
    width = 128
    shapes = {"q": (width, width), "k": (width, width), "v": (width, width), "o": (width, width),
              "up": (width, 4 * width), "down": (4 * width, width)}
    parameters = {name: weights(lib, *s, seed=i) for i, (name, s) in enumerate(shapes.items())}

    def loss(p, x, wanted):
        h = standardised(lib, x)
        x = x + attention(lib, h @ p["q"], h @ p["k"], h @ p["v"]) @ p["o"]
        x = x + lib.nn.gelu(standardised(lib, x) @ p["up"]) @ p["down"]
        return lib.numpy.mean((x - wanted) ** 2)

    batch = [normals(lib, 8, size, width, seed=seed) for seed in (10, 11)]
    return descent(lib, loss), (parameters, *batch)


def convnet_step(lib, size=32):
    """Two convolutions and a layer, on 32 pictures of 28x28; the second has `size` channels."""
    def convolved(x, kernel):
        return lib.lax.conv_general_dilated(
            x, kernel, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def loss(p, x, classes):
        x = lib.nn.relu(convolved(x, p["first"]))
        x = lib.nn.relu(convolved(x, p["second"]))
        return cross_entropy(lib, x.reshape(x.shape[0], -1) @ p["last"], classes)

    parameters = {"first": 0.3 * normals(lib, 3, 3, 1, 16), "last": weights(lib, 49 * size, 10),
                  "second": 0.1 * normals(lib, 3, 3, 16, size)}
    return descent(lib, loss), (parameters, normals(lib, 32, 28, 28, 1), labels(lib, 32, 10))


def regression_loop(lib, size=1000):
    """`size` steps of a linear regression, 100 examples of 10 numbers, in one fori_loop."""
    def loss(w, x, y):
        return lib.numpy.mean((x @ w - y) ** 2)

    @lib.jit
    def fit(w, x, y):
        return lib.lax.fori_loop(0, size, lambda i, w: w - 0.01 * lib.grad(loss)(w, x, y), w)

    x = normals(lib, 100, 10)
    return fit, (lib.numpy.zeros(10), x, x @ normals(lib, 10, seed=1))


WORKLOADS = (mlp_step, transformer_step, convnet_step, regression_loop)
