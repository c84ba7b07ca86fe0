"""Sequences: attention, and dynamic programs over their places."""

from benchmarks.data import labels, normals, weights


def attend(lib, parameters, x):
    """Causal attention of four heads over one sequence."""
    jnp = lib.numpy
    wq, wk, wv, wo = parameters
    places, width = x.shape
    q, k, v = (jnp.swapaxes((x @ w).reshape(places, 4, width // 4), 0, 1) for w in (wq, wk, wv))
    scores = q @ jnp.swapaxes(k, 1, 2) / (width // 4) ** 0.5
    scores = jnp.where(jnp.tril(jnp.ones((places, places), bool)), scores, -jnp.inf)
    return jnp.swapaxes(lib.nn.softmax(scores) @ v, 0, 1).reshape(x.shape) @ wo


def attention_arguments(lib, size):
    return [weights(lib, 64, 64, seed=i) for i in range(4)], normals(lib, 4, size, 64)


def self_attention(lib, size=16):
    """Causal attention of width 64 on four sequences of `size`, by vmap."""
    run = lib.jit(lib.vmap(lambda p, x: attend(lib, p, x), (None, 0)))
    return run, attention_arguments(lib, size)


def self_attention_gradient(lib, size=16):
    """The gradient of its squares by all parameters."""
    def loss(p, xs):
        return lib.numpy.mean(lib.vmap(lambda x: attend(lib, p, x))(xs) ** 2)

    return lib.jit(lib.grad(loss)), attention_arguments(lib, size)


def beam_search(lib, size=100):
    """The four likeliest sequences of 20 out of `size` words, each given by the one before."""
    jnp = lib.numpy

    @lib.jit
    def search(logits):
        logp = lib.nn.log_softmax(logits)

        def step(state, _):
            scores, words = state
            total = scores[:, None] + logp[words]
            scores, chosen = lib.lax.top_k(total.ravel(), 4)
            beam, words = chosen // size, chosen % size
            return (scores, words), (beam, words)

        start = jnp.array([0.0, -1e9, -1e9, -1e9]), jnp.zeros(4, jnp.int32)
        (scores, _), (beams, words) = lib.lax.scan(step, start, None, length=20)

        def back(beam, pair):
            beams, words = pair
            return beams[beam], words[beam]

        return scores, lib.lax.scan(back, jnp.arange(4), (beams, words), reverse=True)[1]

    return search, (normals(lib, size, size),)


def viterbi(lib, size=100):
    """The likeliest 16 states behind `size` observations of 10 kinds."""
    jnp = lib.numpy

    @lib.jit
    def decode(transition, emission, seen):
        def forward(score, x):
            paths = score[:, None] + transition
            return jnp.max(paths, axis=0) + emission[:, x], jnp.argmax(paths, axis=0)

        last, origins = lib.lax.scan(forward, emission[:, seen[0]], seen[1:])

        def backward(state, origin):
            return origin[state], state

        best = jnp.argmax(last)
        first, states = lib.lax.scan(backward, best, origins, reverse=True)
        return jnp.concatenate([first[None], states]), jnp.max(last)

    log_softmax = lib.nn.log_softmax
    return decode, (log_softmax(normals(lib, 16, 16)), log_softmax(normals(lib, 16, 10, seed=1)),
                    labels(lib, size, 10))


def edit_distance(lib, size=32):
    """Levenshtein's distance of two words of `size` letters: row by row, and along each."""
    jnp = lib.numpy

    @lib.jit
    def distance(a, b):
        places = jnp.arange(b.shape[0] + 1)

        def row(before, pair):
            letter, start = pair
            changed = jnp.minimum(before[1:] + 1, before[:-1] + (b != letter))

            def cell(left, best):
                here = jnp.minimum(left + 1, best)
                return here, here

            rest = lib.lax.scan(cell, start, changed)[1]
            return jnp.concatenate([start[None], rest]), None

        return lib.lax.scan(row, places, (a, jnp.arange(1, a.shape[0] + 1)))[0][-1]

    return distance, (labels(lib, size, 4), labels(lib, size, 4, seed=1))


SIZES = {self_attention: (16, 256), self_attention_gradient: (16, 256), beam_search: (100, 5000),
         viterbi: (100, 10_000), edit_distance: (64, 1000)}
