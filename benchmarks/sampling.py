"""Random numbers: Threefry's bits, and what samplers make of them."""


def normal(lib, size=1_000_000):
    """`size` normal numbers from a key."""
    return lib.jit(lambda key: lib.random.normal(key, (size,))), (lib.random.key(0),)


def uniform(lib, size=1_000_000):
    """`size` numbers between 0 and 1 from a key."""
    return lib.jit(lambda key: lib.random.uniform(key, (size,))), (lib.random.key(0),)


def split(lib, size=10_000):
    """`size` keys from one, in jit."""
    def f(key):
        return lib.random.key_data(lib.random.split(key, size))

    return lib.jit(f), (lib.random.key(0),)


def eager_split(lib):
    """A key into two, outside jit, as programs do before every draw."""
    return lib.random.split, (lib.random.key(0),)


def permutation(lib, size=100_000):
    """The numbers below `size` in a random order."""
    return lib.jit(lambda key: lib.random.permutation(key, size)), (lib.random.key(0),)


WORKLOADS = (normal, uniform, split, eager_split, permutation)
