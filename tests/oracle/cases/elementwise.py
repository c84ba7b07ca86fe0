"""Every elementwise base primitive over dtypes and shapes: values, derivatives, batches, jaxprs."""

REAL = ("float32", "float16", "bfloat16")
INEXACT = (*REAL, "complex64")
INTEGER = ("int32", "uint8")
DTYPES = (*INEXACT, *INTEGER, "bool")
BATCHED = ("float32", "complex64", "int32", "bool")

# Four values of each dtype: to start with, for a second argument, and positive ones.
FIRST = dict.fromkeys(REAL, "[0.5, -1.25, 2.0, -0.75]") | {
    "complex64": "[0.5+1j, -1.25+0.5j, 2-1j, -0.75+0.25j]",
    "int32": "[3, -2, 0, 7]",
    "uint8": "[3, 2, 0, 200]",
    "bool": "[True, False, True, False]",
}
SECOND = dict.fromkeys(REAL, "[1.5, -1.25, -0.5, 3.0]") | {
    "complex64": "[1-1j, 0.5+0.25j, 1.5-1j, 1.5-0.5j]",
    "int32": "[2, -2, 5, -3]",
    "uint8": "[2, 2, 5, 100]",
    "bool": "[True, True, False, False]",
}
POSITIVE = FIRST | dict.fromkeys(REAL, "[0.5, 1.25, 2.0, 4.0]")

# What each primitive takes; the other dtypes are refused, which is a case too.
UNARY = {
    "lax.neg": (*INEXACT, *INTEGER),
    "lax.sin": INEXACT,
    "lax.cos": INEXACT,
    "lax.tanh": INEXACT,
    "lax.exp": INEXACT,
    "lax.log": INEXACT,
    "lax.sqrt": INEXACT,
    "lax.rsqrt": INEXACT,
    "lax.logistic": INEXACT,
    "lax.abs": (*INEXACT, "int32"),
    "lax.sign": (*INEXACT, *INTEGER),
    "lambda x: lax.integer_pow(x, 0)": (*INEXACT, *INTEGER),
    "lambda x: lax.integer_pow(x, 2)": (*INEXACT, *INTEGER),
    "lambda x: lax.integer_pow(x, 3)": (*INEXACT, *INTEGER),
    "lambda x: lax.integer_pow(x, -2)": INEXACT,
    "lax.bitwise_not": (*INTEGER, "bool"),
    "lax.stop_gradient": DTYPES,
}
BINARY = {
    "lax.add": (*INEXACT, *INTEGER),
    "lax.sub": (*INEXACT, *INTEGER),
    "lax.mul": (*INEXACT, *INTEGER),
    "lax.div": (*INEXACT, *INTEGER),
    "lax.max": DTYPES,
    "lax.min": DTYPES,
    "lax.pow": INEXACT,
    "lax.eq": DTYPES,
    "lax.ne": DTYPES,
    "lax.lt": (*REAL, *INTEGER, "bool"),
    "lax.le": (*REAL, *INTEGER, "bool"),
    "lax.gt": (*REAL, *INTEGER, "bool"),
    "lax.ge": (*REAL, *INTEGER, "bool"),
    "lax.bitwise_and": (*INTEGER, "bool"),
    "lax.bitwise_or": (*INTEGER, "bool"),
}
POSITIVE_ONLY = ("lax.log", "lax.sqrt", "lax.rsqrt", "lax.pow")
SMOOTH_BINARY = ("lax.add", "lax.sub", "lax.mul", "lax.div", "lax.max", "lax.min", "lax.pow")


def unary_setup(function, dtype):
    table = POSITIVE if function in POSITIVE_ONLY else FIRST
    return f"f = {function}\nx = jnp.array({table[dtype]}, '{dtype}')\n"


def binary_setup(function, dtype):
    second = f"y = jnp.array({SECOND[dtype]}, '{dtype}')\n"
    return unary_setup(function, dtype) + second


def refused(taken):
    return tuple(dtype for dtype in DTYPES if dtype not in taken)


def unary_cases():
    for function, taken in UNARY.items():
        f = f"f = {function}\n"
        for dtype in taken:
            setup = unary_setup(function, dtype)
            yield setup + "[f(x[0]), f(x[:0]), f(x)]"
            if dtype in BATCHED:
                yield setup + "[jax.vmap(f)(x), jax.vmap(f, 1, 0)(x.reshape(2, 2))]"
        yield f + f"[raised(f, jnp.ones(2, d)) for d in {refused(taken)}]"
        yield f + f"[jax.make_jaxpr(f)(jnp.ones(s, d)) for d in {taken} for s in [(), (3,)]]"
        yield f + f"[jax.make_jaxpr(jax.vmap(f))(jnp.ones((2, 3), d)) for d in {taken}]"
        if "float32" in taken:
            yield f + "f(jnp.array([math.nan, math.inf, -math.inf, 0.0, -0.0]))"
            yield f + "[jax.make_jaxpr(f)(2.0), f(2.0), f(np.full(2, 2.0))]"
        yield f + "f('text')"


def unary_derivative_cases():
    for function, taken in UNARY.items():
        for dtype in (dtype for dtype in taken if dtype in INEXACT):
            setup = unary_setup(function, dtype) + f"t = jnp.array({SECOND[dtype]}, '{dtype}')\n"
            yield setup + "jax.jvp(f, (x,), (t,))"
            yield setup + "y, pull = jax.vjp(f, x)\ny, pull(y)"
            if dtype in BATCHED:
                yield setup + (
                    "g = lambda x: jax.jvp(f, (x,), (t,))[1]\n"
                    "h = lambda x: jax.vjp(f, x)[1](f(x))[0]\n"
                    "jax.jvp(g, (x,), (t,)), jax.jvp(h, (x,), (t,))"
                )


def binary_cases():
    for function, taken in BINARY.items():
        f = f"f = {function}\n"
        for dtype in taken:
            setup = binary_setup(function, dtype)
            yield setup + "[f(x[0], y[0]), f(x[:0], y[:0]), f(x, y), f(x[0], y)]"
            if dtype in BATCHED:
                yield setup + (
                    "m, n, r = x.reshape(2, 2), y.reshape(2, 2), y[:2]\n"
                    "[jax.vmap(f)(m, n), jax.vmap(f, (0, 1))(m, n), jax.vmap(f, (None, 0))(r, n)]"
                )
        ones = f"[(jnp.ones((2, 3), d), jnp.ones((3, 2), d)) for d in {taken}]"
        yield f + f"[raised(f, jnp.ones(2, d), jnp.ones(2, d)) for d in {refused(taken)}]"
        yield f + f"[jax.make_jaxpr(f)(x, x) for x, y in {ones}]"
        yield f + f"[jax.make_jaxpr(f)(x, y[0, 0]) for x, y in {ones}]"
        yield f + f"[jax.make_jaxpr(jax.vmap(f, (0, 1)))(x, y) for x, y in {ones}]"
        yield f + f"[jax.make_jaxpr(jax.vmap(f, (1, None)))(x, y[0, 0]) for x, y in {ones}]"
        yield f + f"[jax.make_jaxpr(jax.vmap(f, (None, 0)))(x[0], x) for x, y in {ones}]"
        if "float32" in taken:
            yield f + "jax.make_jaxpr(lambda x: f(x, 2.0))(jnp.ones(3))"
            yield f + "jax.make_jaxpr(lambda x: f(2.0, x))(jnp.ones(3))"
            yield f + "jax.make_jaxpr(lambda x: f(x, np.ones(3, 'float32')))(jnp.ones(3))"
            yield f + "[f(2.0, 3.0), f(jnp.ones(2), 3.0), f(2.0, np.ones(2, 'float32'))]"
            yield f + (
                "x = jnp.array([math.nan, math.inf, -math.inf, 0.0, -0.0])\n"
                "[f(x, x), f(x, x[::-1]), f(x, jnp.ones(5))]"
            )
        yield f + (
            "i = jnp.ones(3, 'int32')\n"
            "[raised(f, x, y) for x, y in [(1, 1.0), (i, 2.0), (i, 'text'), (i, None),"
            " (i, i[:2]), (i, jnp.ones((3, 3), 'int32')), (i, jnp.ones(3, 'uint8'))]]"
        )


def binary_derivative_cases():
    for function in SMOOTH_BINARY:
        for dtype in INEXACT if function not in ("lax.max", "lax.min") else REAL:
            setup = binary_setup(function, dtype)
            yield setup + "jax.jvp(f, (x, y), (y, x))"
            yield setup + "z, pull = jax.vjp(f, x, y)\nz, pull(z)"
            if dtype in BATCHED:
                yield setup + "jax.jvp(lambda x: f(x, y), (x,), (y,))"
                yield setup + "jax.jvp(lambda y: f(x, y), (y,), (x,))"
                yield setup + (
                    "g = lambda x, y: jax.vjp(f, x, y)[1](f(x, y))\njax.jvp(g, (x, y), (y, x))[1]"
                )


CASES = [*unary_cases(), *unary_derivative_cases(), *binary_cases(), *binary_derivative_cases()]
