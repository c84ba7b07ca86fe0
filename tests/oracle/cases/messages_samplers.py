"""Mistakes with samplers and special functions, and words of what minijax says to each."""

SETUP = """\
k = random.key(0)
ks = random.split(k, 3)
F = jnp.arange(1.0, 4.0)
M = jnp.ones((2, 3))
"""

# What a case is called by in its message, where that isn't the function that it calls first.
NAMES = {
    "with jax.debug_key_reuse(True):\n    random.normal(k) + random.normal(k)\n0": "random_bits",
    "with jax.debug_key_reuse(True):\n"
    "    lax.fori_loop(0, 3, lambda i, x: x + random.normal(k), 0.0)\n0": "scan",
    "jax.grad(lax.polygamma)(1.0, 2.0)": "lax.polygamma",
    "jax.grad(lax.betainc)(1.0, 2.0, 0.5)": "lax.betainc",
    "jax.grad(lax.betainc, 1)(1.0, 2.0, 0.5)": "lax.betainc",
    "jax.grad(lax.zeta)(2.0, 1.0)": "lax.zeta",
    "jax.grad(lax.igamma_grad_a)(2.0, 1.0)": "lax.igamma_grad_a",
    "lax.erf(1)": "erf",
    "lax.log1p(True)": "log1p",
    "lax.lgamma(k)": "lgamma",
    "lax.igamma(1.0, 2)": "igamma",
    "lax.igamma(F, F[:2])": "igamma",
    "lax.betainc(F, F, F[:2])": "regularized_incomplete_beta",
    "jax.jit(lambda n: random.permutation(k, n))(3)": "random.permutation",
    "jax.jit(lambda n: random.choice(k, n))(3)": "random.choice",
    "jax.jit(lambda n: random.gamma(k, 2.0, (n,)))(3)": "random.gamma",
}
MESSAGES = {
    # Keys, shapes and dtypes.
    "random.exponential(3)": "random.exponential takes keys, or their words uint32[..., 2], and",
    "random.gamma(ks, 2.0)":
        "random.gamma takes one key, and got an array of them, key<fry>[3].\nUse vmap",
    "random.gumbel(k, (2.5,))": "random.gumbel takes a shape of integers, and got (2.5,). Give a",
    "random.laplace(k, 'ab')": "random.laplace takes a shape of integers, and got 'ab'. Give a",
    "random.cauchy(k, (2,), int)":
        "gives floats, and was asked for int32. Give a dtype of floats.",
    "random.beta(k, 1.0, 2.0, (2,), 'complex64')":
        "gives floats, and was asked for complex64. Give a dtype of floats.",
    "random.lognormal(k, dtype='uint8')":
        "gives floats or complex numbers, and was asked for uint8.",
    "random.geometric(k, 0.5, (2,), float)":
        "gives integers, and was asked for float32. Give a dtype of integers.",
    "random.uniform(k, (2,), 'uint8')": "random.uniform gives floats, and was asked for uint8.",
    "random.rademacher(k, (2,), 'no')": "random.rademacher knows no dtype 'no'. Give bool or a",
    "jax.jit(lambda n: random.gamma(k, 2.0, (n,)))(3)":
        "random.gamma needs its shape to be known while tracing, and got",
    # Parameters.
    "random.pareto(k, F, (2,))":
        "random.pareto was asked for the shape (2,), and got b of the shape (3,).\nGive one that "
        "broadcasts to (2,).",
    "random.beta(k, F, F[:2])": "random.beta got the shapes (3,), (2,), which do not broadcast",
    "random.wald(k, (1.0,))": "random.wald takes arrays and numbers, and argument mean is (1.0,).",
    "random.t(k, [1.0])": "random.t takes arrays and numbers, and argument df is [1.0].\nWrap it",
    "random.chisquare(k, 1j)":
        "random.chisquare gives float32, and df is ~complex64[], which\nthat cannot hold.\nConvert",
    "random.lognormal(k, dtype='bfloat16')":
        "sigma is float32[], which\nthat cannot hold.\nConvert it: sigma.astype(dtype).",
    "random.poisson(k, k)": "random.poisson takes numbers, and got key<fry>[].\nDraw numbers",
    "random.dirichlet(k, 2.0)":
        "random.dirichlet takes alpha as a vector or several, and got 2.0.\nGive an array",
    "random.dirichlet(k, M, (3,))":
        "random.dirichlet was asked for the shape (3,), and got alpha, without its last axis, of",
    "random.multinomial(k, 5, F, shape=(2,))":
        "random.multinomial was asked for the shape (2,), and got p of the shape (3,).",
    "random.gumbel(k, (2,), mode='no')":
        "random.gumbel knows no mode 'no'. Give 'low', 'high' or 'highest'.",
    "random.ball(k, 2.5)": "random.ball takes an integer as d, and got 2.5. Give an int.",
    # Drawing from many.
    "random.categorical(k, F, 2)":
        "random.categorical found no axis 2 among 1. Give one from -1 to 0.",
    "random.categorical(k, M, -1, (3,))":
        "random.categorical was asked for the shape (3,), and got logits, without the axis, of",
    "random.categorical(k, F, -1, (4,), False)":
        "random.categorical cannot draw 4 different ones of 3.\nAsk for fewer, or give replace",
    "random.categorical(k, [0.5, 0.5])":
        "random.categorical takes arrays and numbers, and argument logits is [0.5, 0.5].\nWrap it",
    "random.permutation(k, 2.5)":
        "random.permutation takes an integer or an array with an axis, and got 2.5.\nGive one of",
    "random.permutation(k, F, 1)": "random.permutation found no axis 1 among 1. Give one from -1",
    "jax.jit(lambda n: random.permutation(k, n))(3)":
        "random.permutation needs x, a number, to be known while\ntracing.\nMark it static",
    "random.choice(k, F, 3)": "random.choice takes a shape, and got 3. Give a tuple of ints.",
    "random.choice(k, 0, (1,))":
        "random.choice has nothing to draw from: the size of a is 0.\nGive an array that is not",
    "random.choice(k, 3, (4,), False)":
        "random.choice cannot draw 4 different ones of 3.\nAsk for fewer, or give replace=True.",
    "random.choice(k, F, (2,), True, F[:2])":
        "random.choice draws from 3, and got p of the shape (2,).\nGive a probability for each: a",
    "random.choice(k, F, (2,), axis=1)": "random.choice found no axis 1 among 1. Give one from -1",
    "jax.jit(lambda n: random.choice(k, n))(3)":
        "random.choice needs a, a number, to be known while tracing.\nMark it static",
    # Keys that serve twice.
    "with jax.debug_key_reuse(True):\n    random.normal(k) + random.normal(k)\n0":
        "random_bits got a key that was used before.\nMake a new key for each use, with",
    "with jax.debug_key_reuse(True):\n"
    "    lax.fori_loop(0, 3, lambda i, x: x + random.normal(k), 0.0)\n0":
        "scan would use one key in each of its steps.\nMake a key for each step: split the key",
    # Special functions.
    "lax.erf(1)": "erf takes floats, and got int32. Convert with x.astype(dtype).",
    "lax.log1p(True)": "log1p takes floats, complex numbers, and got bool. Convert with",
    "lax.lgamma(k)": "lgamma takes floats, and got key<fry>. Draw numbers from a key",
    "lax.igamma(1.0, 2)": "igamma needs one dtype, and got float32, int32. Use x.astype(dtype).",
    "lax.igamma(F, F[:2])": "igamma got (3,), (2,). Give equal shapes, scalars or axes of size 1.",
    "lax.betainc(F, F, F[:2])": "regularized_incomplete_beta got (3,), (3,), (2,). Give equal",
    "jax.grad(lax.polygamma)(1.0, 2.0)":
        "lax.polygamma has no derivative by m.\nUse lax.stop_gradient(m) where that is constant.",
    "jax.grad(lax.betainc)(1.0, 2.0, 0.5)": "has no derivative by a.\nUse lax.stop_gradient(a)",
    "jax.grad(lax.betainc, 1)(1.0, 2.0, 0.5)": "has no derivative by b.\nUse lax.stop_gradient(b)",
    "jax.grad(lax.zeta)(2.0, 1.0)": "lax.zeta has no derivative by x.\nUse lax.stop_gradient(x)",
    "jax.grad(lax.igamma_grad_a)(2.0, 1.0)": "has no derivative by a.\nUse lax.stop_gradient(a)",
}  # fmt: skip

CASES = tuple(MESSAGES)
