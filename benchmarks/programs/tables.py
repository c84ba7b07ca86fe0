"""Tables: rows picked, added up and counted by index."""

from benchmarks.data import labels, normals, uniforms


def histogram(lib, size=10_000):
    """How many of `size` normal numbers lie in each of 50 bins."""
    run = lib.jit(lambda x: lib.numpy.histogram(x, bins=50, range=(-4.0, 4.0))[0])
    return run, (normals(lib, size),)


def segment_sums(lib, size=10_000):
    """The mean of `size` numbers in each of 100 groups."""
    jnp = lib.numpy

    @lib.jit
    def means(x, group):
        total = jnp.zeros(100).at[group].add(x)
        return total / jnp.maximum(jnp.zeros(100).at[group].add(1.0), 1.0)

    return means, (normals(lib, size), labels(lib, size, 100))


def scatter_rows(lib, size=500):
    """`size` rows of 64, added into a table of 1,000 rows."""
    run = lib.jit(lambda table, i, rows: table.at[i].add(rows))
    return run, (lib.numpy.zeros((1000, 64)), labels(lib, size, 1000), normals(lib, size, 64))


def gather_rows(lib, size=1000):
    """`size` rows of 64 out of a table of 10,000, scaled."""
    run = lib.jit(lambda table, i: 0.5 * table[i])
    return run, (normals(lib, 10_000, 64), labels(lib, size, 10_000))


def pagerank(lib, size=200):
    """20 steps of PageRank over `size` pages with ten links each, by a scatter-add."""
    jnp = lib.numpy

    @lib.jit
    def rank(source, target):
        degree = jnp.zeros(size).at[source].add(1.0)

        def step(_, r):
            share = r / jnp.maximum(degree, 1.0)
            return 0.15 / size + 0.85 * jnp.zeros(size).at[target].add(share[source])

        return lib.lax.fori_loop(0, 20, step, jnp.full(size, 1.0 / size))

    return rank, (labels(lib, 10 * size, size), labels(lib, 10 * size, size, seed=1))


def word_counts(lib, size=10_000):
    """The ten commonest of `size` words out of 500, and how often each comes."""
    @lib.jit
    def commonest(words):
        return lib.lax.top_k(lib.numpy.bincount(words, length=500), 10)

    return commonest, (labels(lib, size, 500),)


def sorting_network(lib, size=256):
    """`size` numbers, a power of two, in order by Batcher's bitonic network."""
    jnp = lib.numpy

    @lib.jit
    def ordered(x):
        places = jnp.arange(size)
        block = 2
        while block <= size:
            stride = block // 2
            while stride:
                other = x[places ^ stride]
                smaller = ((places & block) == 0) == ((places & stride) == 0)
                x = jnp.where(smaller, jnp.minimum(x, other), jnp.maximum(x, other))
                stride //= 2
            block *= 2
        return x

    return ordered, (uniforms(lib, size),)


SIZES = {histogram: (10_000, 500_000), segment_sums: (10_000, 500_000), scatter_rows: (500, 20_000),
         gather_rows: (1000, 50_000), pagerank: (200, 10_000), word_counts: (10_000, 500_000),
         sorting_network: (256, 16_384)}
