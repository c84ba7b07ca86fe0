"""Functions of single numbers that NumPy has beside arithmetic: programs, values, refusals."""

SETUP = """\
F = jnp.array([-2.5, 0.0, 3.0])
M = jnp.arange(12.0).reshape(3, 4) - 4
I = jnp.array([-1, 0, 6])
C = F * 1j + 1
B = F > 0
E = jnp.array([0.0, -0.0, jnp.inf, -jnp.inf, jnp.nan, 1.5])
H = F.astype('float16')
BF = F.astype('bfloat16')

def weak(*arrays):
    return [(x.dtype, x.weak_type) for x in arrays]
"""

JAXPRS = [
    "jax.make_jaxpr(jnp.around)(F), jax.make_jaxpr(lambda x: jnp.around(x, 2))(F)",
    "jax.make_jaxpr(jnp.bitwise_left_shift)(I, I), jax.make_jaxpr(jnp.bitwise_right_shift)(I, I)",
    "jax.make_jaxpr(jnp.bitwise_invert)(I)",
    "jax.make_jaxpr(jnp.float_power)(I, I), jax.make_jaxpr(jnp.float_power)(F, 2)",
    "jax.make_jaxpr(jnp.frexp)(F)",
    "jax.make_jaxpr(jnp.frexp)(H)",
    "jax.make_jaxpr(jnp.ldexp)(F, I)",
    "jax.make_jaxpr(jnp.modf)(F)",
    "jax.make_jaxpr(jnp.gcd)(I, I)",
    "jax.make_jaxpr(jnp.lcm)(I, I)",
    "jax.make_jaxpr(jnp.heaviside)(F, 0.5), jax.make_jaxpr(jnp.heaviside)(I, I)",
    "jax.make_jaxpr(jnp.hypot)(F, F)",
    "jax.make_jaxpr(jnp.i0)(F)",
    "jax.make_jaxpr(jnp.iscomplex)(C), jax.make_jaxpr(jnp.isreal)(F)",
    "jax.make_jaxpr(jnp.isneginf)(F), jax.make_jaxpr(jnp.isposinf)(I)",
    "jax.make_jaxpr(jnp.nan_to_num)(F), jax.make_jaxpr(jnp.nan_to_num)(I)",
    "jax.make_jaxpr(jnp.nan_to_num)(C)",
    "jax.make_jaxpr(lambda x: jnp.nan_to_num(x, nan=1, posinf=2, neginf=3.))(F)",
    "jax.make_jaxpr(jnp.sinc)(F)",
    "jax.make_jaxpr(jnp.spacing)(F)",
    "jax.make_jaxpr(jnp.unwrap)(F)",
    "jax.make_jaxpr(lambda x: jnp.unwrap(x, period=4))(I)",
    "jax.make_jaxpr(lambda x: jnp.unwrap(x, discont=4., axis=0))(M)",
    "jax.make_jaxpr(lambda x: jnp.array_equiv(x, x))(M)",
    "jax.make_jaxpr(lambda x: jnp.packbits(x))(jnp.ones(11, bool))",
    "jax.make_jaxpr(lambda x: jnp.packbits(x, axis=1, bitorder='little'))(jnp.ones((2, 9), bool))",
    "jax.make_jaxpr(lambda x: jnp.unpackbits(x))(jnp.ones(3, 'uint8'))",
    "jax.make_jaxpr(lambda x: jnp.unpackbits(x, axis=1, bitorder='little', count=5))(jnp.ones("
    "(2, 3), 'uint8'))",
]

VALUES = [
    "jnp.around(F, 1), jnp.around(I), jnp.around(2.5), jnp.around(H)",
    "jnp.float_power(I, 2), jnp.float_power(F, 2), jnp.float_power(H, 2), jnp.float_power(B, 2)",
    "jnp.frexp(I), jnp.frexp(2.), jnp.frexp(E), jnp.frexp(H), jnp.frexp(BF)",
    "jnp.ldexp(I, I), jnp.ldexp(2., 3), jnp.ldexp(H, 2), jnp.ldexp(1, 2), jnp.ldexp(1., 1000), "
    "jnp.ldexp(1., 128), jnp.ldexp(True, 1), jnp.ldexp(F, B), jnp.ldexp(E, 3), "
    "jnp.ldexp(F, I.astype('int8'))",
    "jnp.modf(I), jnp.modf(-2.5), jnp.modf(E), jnp.modf(H), jnp.modf(BF)",
    "jnp.gcd(I, 4), jnp.gcd(12, 18), jnp.gcd(I.astype('uint8'), 3), jnp.gcd(jnp.array([-12, 0, 5, "
    "-7]), jnp.array([18, 0, 0, -21])), jnp.gcd(M.astype(int), 6)",
    "jnp.lcm(I, 4), jnp.lcm(12, 18), jnp.lcm(I.astype('int8'), 2), jnp.lcm(jnp.array([-12, 0, 5]), "
    "jnp.array([18, 0, 0]))",
    "jnp.heaviside(I, 0.5), jnp.heaviside(F, I), jnp.heaviside(jnp.nan, 2.), jnp.heaviside(1, 2)",
    "jnp.hypot(I, I), jnp.hypot(3, 4), jnp.hypot(H, 1), jnp.hypot(jnp.inf, jnp.nan), "
    "jnp.hypot(1e30, 1e30), jnp.hypot(0., 0.), jnp.hypot(M, F[:, None])",
    "jnp.i0(I), jnp.i0(H), jnp.i0(2.), jnp.i0(-F)",
    "jax.grad(jnp.i0)(2.), jax.grad(jnp.i0)(0.), jax.grad(jax.grad(jnp.i0))(1.5)",
    "jnp.iscomplex(C), jnp.iscomplex(F), jnp.iscomplex(1j), jnp.isreal(C), jnp.isreal(2)",
    "jnp.isposinf(E), jnp.isneginf(E), jnp.isposinf(I), jnp.isneginf(2), jnp.isposinf(B), "
    "jnp.isposinf(np.inf), jnp.isneginf(-np.inf)",
    "jnp.nan_to_num(E), jnp.nan_to_num(jnp.nan), jnp.nan_to_num(E.astype('float16')), "
    "jnp.nan_to_num(2), jnp.nan_to_num(B), jnp.nan_to_num(E * 1j + 2), "
    "jnp.nan_to_num(E, nan=F[0], posinf=7, neginf=-7), jnp.nan_to_num(E.astype('bfloat16'))",
    "jnp.sinc(I), jnp.sinc(0.), jnp.sinc(H), jnp.sinc(jnp.array([0.25, 1.5]))",
    "[f(x) for x in (0., 0.3) for f in (jax.grad(jnp.sinc), jax.grad(jax.grad(jnp.sinc)), "
    "jax.hessian(jnp.sinc))]",
    "jnp.spacing(jnp.array([1., -1., 2., 3e38])), jnp.spacing(2.), jnp.spacing(H[2]), "
    "jnp.spacing(BF[2]), jnp.spacing(True)",
    "jnp.unwrap(I), jnp.unwrap(I, period=3), jnp.unwrap(jnp.array([0., 3., 7., 8., 1., 15.])), "
    "jnp.unwrap(I * 3, period=4.), jnp.unwrap(M * 2, axis=0), jnp.unwrap(F, discont=5.)",
    "jnp.array_equiv(M, M[0]), jnp.array_equiv(jnp.ones((2, 3)), 1), "
    "jnp.array_equiv([1, 2], [[1, 2], [1, 2]]), jnp.array_equiv(1, 1)",
    "jnp.packbits(jnp.ones((2, 9), int), axis=0), jnp.packbits(jnp.ones((2, 9), 'uint8')), "
    "jnp.packbits(jnp.array([1, 0, 2, -1])), jnp.packbits(True), jnp.packbits(I[:0])",
    "jnp.unpackbits(jnp.array([3], 'uint8'), count=11), jnp.unpackbits(jnp.array([3, 200], "
    "'uint8'), count=-2), jnp.unpackbits(jnp.uint8(3)), jnp.unpackbits(jnp.array([[3], [7]], "
    "'uint8'), axis=0, bitorder='little')",
    "weak(jnp.frexp(2.)[0], jnp.hypot(3, 4), jnp.heaviside(1, 2), jnp.gcd(12, 18), "
    "jnp.lcm(12, 18), jnp.float_power(2, 3), jnp.sinc(0.), jnp.ldexp(2., 3), jnp.modf(2.5)[0], "
    "jnp.nan_to_num(jnp.nan), jnp.i0(2.), jnp.spacing(2.), jnp.around(2.5), "
    "jnp.bitwise_left_shift(3, 2), jnp.unwrap(jnp.array([1, 2])))",
    "jax.grad(lambda x: jnp.frexp(x)[0])(3.), jax.grad(lambda x: jnp.ldexp(x, 2))(3.), "
    "jax.grad(lambda x: jnp.modf(x)[0])(1.5), jax.grad(jnp.hypot)(3., 4.), "
    "jax.grad(lambda x: jnp.unwrap(x).sum())(F), jax.grad(jax.grad(jnp.hypot))(3., 4.)",
    "jax.vmap(jnp.hypot, (0, None))(F, 2.), jax.vmap(jnp.gcd, (0, None))(I, 4), "
    "jax.vmap(jnp.unwrap, 1, 1)(M * 3), jax.vmap(jnp.frexp)(F)",
]

REFUSED = [
    "jnp.frexp(C)",
    "jnp.ldexp(F, F)",
    "jnp.ldexp(C, 1)",
    "jnp.modf(F, out=F)",
    "jnp.gcd(F, 1)",
    "jnp.gcd(B, B)",
    "jnp.lcm(F, 1)",
    "jnp.heaviside(C, 1.)",
    "jnp.hypot(C, C)",
    "jnp.i0(C)",
    "jnp.isposinf(C)",
    "jnp.isposinf(F, out=F)",
    "jnp.isneginf('a')",
    "jnp.nan_to_num('a')",
    "jnp.spacing(C)",
    "jnp.unwrap(2.)",
    "jnp.unwrap(C)",
    "jnp.packbits(F)",
    "jnp.packbits(I, bitorder='x')",
    "jnp.unpackbits(I)",
    "jnp.float_power('a', 1)",
]

CASES = [*JAXPRS, *VALUES, *REFUSED]
