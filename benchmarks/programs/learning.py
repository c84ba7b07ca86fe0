"""Learning: policies, optimisers and embeddings."""

from benchmarks.data import labels, normals, weights


def cart_pole_step(lib, state, push):
    """A fiftieth of a second of a pole on a cart that is pushed (Barto et al., 1983)."""
    x, v, angle, turn = state
    sine, cosine = lib.numpy.sin(angle), lib.numpy.cos(angle)
    drive = (10.0 * push + 0.05 * turn**2 * sine) / 1.1
    bend = (9.8 * sine - cosine * drive) / (0.5 * (4.0 / 3.0 - 0.1 * cosine**2 / 1.1))
    pull = drive - 0.05 * bend * cosine / 1.1
    return lib.numpy.stack(
        [x + 0.02 * v, v + 0.02 * pull, angle + 0.02 * turn, turn + 0.02 * bend])


def cart_pole(lib, size=8):
    """A policy gradient step (REINFORCE): `size` episodes of 50 steps, a network of 16 units."""
    jnp = lib.numpy

    def logit(p, state):
        return jnp.dot(jnp.tanh(jnp.dot(state, p["first"])), p["second"])

    def episode(p, key):
        def step(carry, key):
            state, alive = carry
            right = lib.random.uniform(key) < lib.nn.sigmoid(logit(p, state))
            after = cart_pole_step(lib, state, jnp.where(right, 1.0, -1.0))
            alive = alive & (jnp.abs(after[0]) < 2.4) & (jnp.abs(after[2]) < 0.2)
            return (after, alive), (state, right, alive.astype(jnp.float32))

        start = jnp.zeros(4), jnp.array(True)
        return lib.lax.scan(step, start, lib.random.split(key, 50))[1]

    def loss(p, states, rights, rewards):
        returns = jnp.cumsum(rewards[:, ::-1], axis=1)[:, ::-1]
        advantage = (returns - jnp.mean(returns)) / (jnp.std(returns) + 1e-6)
        logits = lib.vmap(lib.vmap(lambda s: logit(p, s)))(states)
        logp = lib.nn.log_sigmoid(jnp.where(rights, logits, -logits))
        return -jnp.mean(logp * advantage)

    @lib.jit
    def improve(p, key):
        batch = lib.vmap(lambda k: episode(p, k))(lib.random.split(key, size))
        slopes = lib.grad(loss)(p, *batch)
        return lib.tree.map(lambda w, g: w - 0.01 * g, p, slopes)

    return improve, ({"first": weights(lib, 4, 16), "second": weights(lib, 16, seed=1)},
                     lib.random.key(0))


def adam_of_fifty(lib, size=100):
    """A step of Adam (Kingma and Ba, 2015) on fifty leaves of `size` numbers."""
    jnp, tree = lib.numpy, lib.tree

    @lib.jit
    def step(parameters, slopes, mean, square, count):
        count = count + 1
        mean = tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, slopes)
        square = tree.map(lambda s, g: 0.999 * s + 0.001 * g**2, square, slopes)

        def moved(p, m, s):
            m, s = m / (1.0 - 0.9**count), s / (1.0 - 0.999**count)
            return p - 0.001 * m / (jnp.sqrt(s) + 1e-8)

        return tree.map(moved, parameters, mean, square), mean, square, count

    def leaves(seed):
        return {f"layer {i}": normals(lib, size, seed=seed + i) for i in range(50)}

    zeros = tree.map(jnp.zeros_like, leaves(0))
    return step, (leaves(0), leaves(50), zeros, zeros, jnp.float32(0.0))


def embeddings(lib, size=64):
    """A step of a bag of words: 2,000 embeddings of 32, `size` texts of 20 words, two classes."""
    jnp = lib.numpy

    def loss(p, words, classes):
        logits = jnp.mean(p["table"][words], axis=1) @ p["out"]
        chosen = jnp.take_along_axis(lib.nn.log_softmax(logits), classes[:, None], axis=1)
        return -jnp.mean(chosen)

    @lib.jit
    def step(p, words, classes):
        value, slopes = lib.value_and_grad(loss)(p, words, classes)
        return lib.tree.map(lambda w, g: w - 0.1 * g, p, slopes), value

    parameters = {"table": normals(lib, 2000, 32), "out": weights(lib, 32, 2)}
    return step, (parameters, labels(lib, 20 * size, 2000).reshape(size, 20),
                  labels(lib, size, 2, seed=1))


SIZES = {cart_pole: (4, 500), adam_of_fifty: (100, 50_000), embeddings: (16, 2000)}
