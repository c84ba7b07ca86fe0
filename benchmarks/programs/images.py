"""Images: windows of pixels, weighed, compared and put in order."""

from benchmarks.data import normals, uniforms


def windows(lib, x, width):
    """The shifted pictures whose pixel (i, j) is x's (i + a, j + b), for each a and b."""
    rows, columns = x.shape[0] - width + 1, x.shape[1] - width + 1
    return [x[a:a + rows, b:b + columns] for a in range(width) for b in range(width)]


def direct_convolution(lib, size=16):
    """A picture of `size` by `size` with 8 channels, by a 3x3 kernel to 16: shift by shift."""
    @lib.jit
    def convolved(x, kernel):
        total = 0.0
        for i in range(3):
            for j in range(3):
                total = total + x[i:i + size - 2, j:j + size - 2] @ kernel[i, j]
        return lib.nn.relu(total)

    return convolved, (normals(lib, size, size, 8), normals(lib, 3, 3, 8, 16, seed=1))


def blur(lib, size=64):
    """A Gaussian of nine pixels along the rows, then along the columns, edges repeated."""
    jnp = lib.numpy

    @lib.jit
    def blurred(x):
        weights = jnp.exp(-jnp.arange(-4.0, 5.0) ** 2 / 8.0)
        weights = weights / jnp.sum(weights)
        x = x[jnp.clip(jnp.arange(-4, size + 4), 0, size - 1)]
        wide = x[:, jnp.clip(jnp.arange(-4, size + 4), 0, size - 1)]
        along = sum(weights[i] * wide[:, i:i + size] for i in range(9))
        return sum(weights[i] * along[i:i + size] for i in range(9))

    return blurred, (uniforms(lib, size, size),)


def edges(lib, size=64):
    """The length of Sobel's gradient, where it is above its mean."""
    jnp = lib.numpy

    @lib.jit
    def found(x):
        a, b, c, d, _, e, f, g, h = windows(lib, x, 3)
        across, along = c + 2 * e + h - a - 2 * d - f, f + 2 * g + h - a - 2 * b - c
        length = jnp.sqrt(across**2 + along**2)
        return jnp.where(length > jnp.mean(length), length, 0.0)

    return found, (uniforms(lib, size, size),)


def median_filter(lib, size=32):
    """The median of the nine pixels around each."""
    run = lib.jit(lambda x: lib.numpy.median(lib.numpy.stack(windows(lib, x, 3)), axis=0))
    return run, (uniforms(lib, size, size),)


SIZES = {direct_convolution: (16, 256), blur: (100, 1500), edges: (100, 1500),
         median_filter: (24, 256)}
