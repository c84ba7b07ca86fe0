"""Recurrent networks and their gradients: scans over the steps of a sequence."""

from benchmarks.data import normals, weights

WIDTH, STEPS = 32, 50


def lstm_outputs(lib, parameters, xs):
    w, u, b = parameters

    def step(carry, x):
        h, c = carry
        i, f, o, g = lib.numpy.split(x @ w + h @ u + b, 4, axis=-1)
        c = lib.nn.sigmoid(f) * c + lib.nn.sigmoid(i) * lib.numpy.tanh(g)
        h = lib.nn.sigmoid(o) * lib.numpy.tanh(c)
        return (h, c), h

    start = lib.numpy.zeros((xs.shape[1], WIDTH))
    return lib.lax.scan(step, (start, start), xs)[1]


def gru_outputs(lib, parameters, xs):
    w, u, b, v = parameters

    def step(h, x):
        z, r = lib.numpy.split(lib.nn.sigmoid(x @ w[:, :2 * WIDTH] + h @ u + b), 2, axis=-1)
        new = lib.numpy.tanh(x @ w[:, 2 * WIDTH:] + (r * h) @ v)
        h = (1.0 - z) * h + z * new
        return h, h

    return lib.lax.scan(step, lib.numpy.zeros((xs.shape[1], WIDTH)), xs)[1]


def vector_rnn_outputs(lib, parameters, xs):
    w, u, b = parameters

    def step(h, x):
        h = lib.numpy.tanh(lib.numpy.dot(w, h) + lib.numpy.dot(u, x) + b)
        return h, h

    return lib.lax.scan(step, lib.numpy.zeros(w.shape[0]), xs)[1]


def loss_gradient(lib, outputs):
    """The jitted gradient of the mean of the squared outputs."""
    return lib.jit(lib.grad(lambda p, xs: lib.numpy.mean(outputs(lib, p, xs) ** 2)))


def lstm_parameters(lib):
    return (weights(lib, WIDTH, 4 * WIDTH), weights(lib, WIDTH, 4 * WIDTH, seed=1),
            lib.numpy.zeros(4 * WIDTH))


def gru_parameters(lib):
    return (weights(lib, WIDTH, 3 * WIDTH), weights(lib, WIDTH, 2 * WIDTH, seed=1),
            lib.numpy.zeros(2 * WIDTH), weights(lib, WIDTH, WIDTH, seed=2))


def vector_rnn_parameters(lib):
    return weights(lib, WIDTH, WIDTH), weights(lib, WIDTH, WIDTH, seed=1), lib.numpy.zeros(WIDTH)


def lstm(lib, size=4):
    """An LSTM of 32 units over 50 steps of `size` sequences."""
    run = lib.jit(lambda p, xs: lstm_outputs(lib, p, xs))
    return run, (lstm_parameters(lib), normals(lib, STEPS, size, WIDTH))


def lstm_gradient(lib, size=4):
    """Its gradient."""
    return loss_gradient(lib, lstm_outputs), (
        lstm_parameters(lib), normals(lib, STEPS, size, WIDTH))


def gru(lib, size=4):
    """A GRU of 32 units over 50 steps of `size` sequences (Cho et al., 2014)."""
    run = lib.jit(lambda p, xs: gru_outputs(lib, p, xs))
    return run, (gru_parameters(lib), normals(lib, STEPS, size, WIDTH))


def gru_gradient(lib, size=4):
    """Its gradient."""
    return loss_gradient(lib, gru_outputs), (gru_parameters(lib), normals(lib, STEPS, size, WIDTH))


def vector_rnn(lib, size=50):
    """A network whose state is one vector of 32, over `size` steps."""
    run = lib.jit(lambda p, xs: vector_rnn_outputs(lib, p, xs))
    return run, (vector_rnn_parameters(lib), normals(lib, size, WIDTH))


def vector_rnn_gradient(lib, size=50):
    """Its gradient."""
    return loss_gradient(lib, vector_rnn_outputs), (
        vector_rnn_parameters(lib), normals(lib, size, WIDTH))


SIZES = {lstm: (2, 128), lstm_gradient: (2, 128), gru: (2, 128),
         gru_gradient: (2, 128), vector_rnn: (50, 5000), vector_rnn_gradient: (50, 2000)}
