"""jax.nn's functions: values in all dtypes, kinks and tails, derivatives, batches, jaxprs."""

SETUP = """\
nn = jax.nn
show = jax.make_jaxpr
F = jnp.array([-7.0, -2.0, -1.0, -0.3, 0.0, 0.5, 1.0, 3.0, 6.5])
M = jnp.array([[1.0, -2.0, 0.5], [3.0, 0.25, -1.5]])
W = jnp.array([[True, False, True], [False, False, False]])
I = jnp.arange(-3, 5)
P = jnp.array([0.1, 0.3, 0.75])
"""

ONE_ARGUMENT = (
    "celu", "elu", "gelu", "hard_sigmoid", "hard_silu", "hard_tanh", "leaky_relu",
    "log_sigmoid", "mish", "relu", "relu6", "selu", "sigmoid", "silu", "soft_sign", "softplus",
    "sparse_plus", "sparse_sigmoid", "squareplus", "tanh",
)
FORMS = {
    **{name: f"nn.{name}" for name in ONE_ARGUMENT},
    "gelu_erf": "lambda x: nn.gelu(x, approximate=False)",
    "elu_2": "lambda x: nn.elu(x, 2.0)",
    "celu_2": "lambda x: nn.celu(x, 2.0)",
    "leaky_relu_2": "lambda x: nn.leaky_relu(x, 0.25)",
    "squareplus_2": "lambda x: nn.squareplus(x, 1.5)",
    "log1mexp": "lambda x: nn.log1mexp(x * x + 0.1)",
    "logsumexp": "nn.logsumexp",
    "logmeanexp": "nn.logmeanexp",
    "softmax": "nn.softmax",
    "log_softmax": "nn.log_softmax",
    "standardize": "nn.standardize",
    "stable": "lambda x: nn.standardize(x, algorithm='stable')",
}


def form_cases():
    for form in FORMS.values():
        yield f"f = {form}\nf(F), show(f)(F)"
        if "standardize" not in form:  # JAX's mean along an axis that is not there
            yield f"({form})(0.5)"
        yield f"f = {form}\n[f(F.astype(d)) for d in ('float16', 'bfloat16')]"
        if form != "nn.log_softmax":  # JAX casts -inf to an integer, and NumPy warns it
            yield f"f = {form}\nf(jnp.arange(3))"
        yield f"f = {form}\nwith jax.enable_x64(True):\n    y = f(np.linspace(-3, 3, 7))\ny"
        yield f"f = {form}\njax.jit(f)(F), jax.vmap(f)(M), show(jax.vmap(f))(M)"
        yield f"f = lambda x: jnp.sum(({form})(x))\njax.grad(f)(F), show(jax.grad(f))(F)"
        yield f"f = lambda x: jnp.sum(({form})(x))\njax.grad(jax.jit(f))(F), jax.jvp(f, (F,), (F,))"
        yield f"f = lambda x: jnp.sum(({form})(x))\njax.vmap(jax.grad(f))(M)"
        yield f"f = lambda x: jnp.sum(({form})(x) ** 2)\njax.grad(lambda x: jax.grad(f)(x) @ x)(F)"
        yield f"({form})([1.0, 2.0])"
        yield f"({form})('text')"
        yield f"({form})(jnp.array([jnp.inf, -jnp.inf, jnp.nan]))"


ALONG = (
    "nn.softmax(M, 0), nn.softmax(M, (0, 1)), nn.softmax(M, None), nn.softmax(M, axis=-2)",
    "nn.softmax(M, where=W), show(lambda x: nn.softmax(x, where=W))(M)",
    "jax.grad(lambda x: (nn.softmax(x, where=W) * x).sum())(M)",
    "nn.softmax(M, 2)",
    "nn.softmax(M, 0.5)",
    "nn.softmax(jnp.zeros((0,)))",
    "nn.softmax(jnp.zeros((2, 0)), 0)",
    "jax.hessian(nn.softmax)(F[2:5])",
    "jax.jacrev(nn.softmax)(F[2:5]), jax.jacfwd(nn.softmax)(F[2:5])",
    "jax.vmap(nn.softmax, 1, 1)(M)",
    "show(jax.grad(lambda x: nn.softmax(x, 0)[1, 2] * 2))(M)",
    "nn.log_softmax(M, 0), nn.log_softmax(M, None), nn.log_softmax(M, where=W)",
    "nn.log_softmax(jnp.array([1e4, 0.0, -1e4])), nn.softmax(jnp.array([1e4, 0.0, -1e4]))",
    "jax.grad(lambda x: nn.log_softmax(x)[0, 1])(M)",
    "nn.logsumexp(M, 0), nn.logsumexp(M, (0, 1)), nn.logsumexp(M, 1, keepdims=True)",
    "nn.logsumexp(M, 0, keepdims=True), show(lambda x: nn.logsumexp(x, 0))(M)",
    "nn.logsumexp(M, 1, b=M), nn.logsumexp(M, b=jnp.array([1.0, -1.0, 0.0]), axis=1)",
    "nn.logsumexp(M, 1, b=M, return_sign=True), nn.logsumexp(M, return_sign=True)",
    "nn.logsumexp(M, 1, where=W), nn.logsumexp(M, where=W)",
    "show(lambda x: nn.logsumexp(x, 1, b=M, where=W))(M)",
    "jax.grad(lambda x: nn.logsumexp(x, b=2.0))(F), show(jax.grad(nn.logsumexp))(F)",
    "nn.logsumexp(jnp.array([-jnp.inf, -jnp.inf])), nn.logsumexp(jnp.array([jnp.inf, 1.0]))",
    "jax.grad(nn.logsumexp)(jnp.array([-jnp.inf, 1.0, 2.0]))",
    "nn.logsumexp(M + 1j * M), nn.logsumexp(M + 1j * M, 0)",
    "nn.logsumexp(M, 3)",
    "nn.logsumexp(jnp.zeros((0,)))",
    "nn.logsumexp(I), nn.logsumexp(3)",
    "nn.logsumexp([1.0, 2.0])",
    "jax.scipy.special.logsumexp(M, axis=0)",
    "nn.logmeanexp(M, 0), nn.logmeanexp(M, (0, 1), keepdims=True), nn.logmeanexp(M, 1, where=W)",
    "nn.standardize(M, 0), nn.standardize(M, None), nn.standardize(M, (0, 1))",
    "nn.standardize(M, mean=0.5), nn.standardize(M, variance=2.0, epsilon=0.0)",
    "nn.standardize(M, where=W)",
    "nn.standardize(M, algorithm='other')",
    "nn.glu(F[:8]), nn.glu(M, 0), show(lambda x: nn.glu(x, 0))(M)",
    "jax.grad(lambda x: nn.glu(x, 0).sum())(M)",
    "nn.glu(F)",
    "nn.glu(M, 2)",
    "nn.one_hot(jnp.array([0, 2, 5, -1]), 3), show(lambda x: nn.one_hot(x, 3))(I)",
    "nn.one_hot(2, 3), nn.one_hot(jnp.array([[0, 1]]), 2, axis=0), nn.one_hot(I, 2, axis=0)",
    "nn.one_hot(I, 2, axis=1), nn.one_hot(I, 0)",
    "nn.one_hot(I, 3, dtype='int32'), nn.one_hot(I, 3, dtype=bool)",
    "nn.one_hot(jnp.array([True, False]), 2)",
    "nn.one_hot(jnp.uint8(1), 3, dtype=jnp.bfloat16)",
    "nn.one_hot([1, 2], 3)",
    "nn.one_hot(I, 2, axis=2)",
    "nn.one_hot(I, 2.5)",
    "nn.one_hot(I, -1)",
    "jax.jit(lambda n: nn.one_hot(I, n))(3)",
    "jax.vmap(lambda x: nn.one_hot(x, 8))(I)",
    "jax.vmap(lambda x: nn.one_hot(2, 8, axis='i'), axis_name='i', axis_size=8)(I)",
    "jax.vmap(lambda x: nn.one_hot(2, 3, axis='i'), axis_name='i')(I)",
    "nn.identity(F), nn.identity(2), show(nn.identity)(F), jax.grad(nn.identity)(2.0)",
    "nn.identity([1.0])",
    "nn.one_hot(jnp.array([1.0]), 3)",
    "nn.swish is nn.silu, nn.hard_swish is nn.hard_silu",
    "nn.swish(F), nn.hard_swish(F)",
    "nn.relu(x=F), nn.elu(F, alpha=3.0), jax.grad(lambda a: nn.elu(F, a).sum())(2.0)",
    "jax.grad(nn.relu)(0.0), jax.grad(nn.relu6)(6.0), jax.grad(nn.relu)(-0.0)",
    "jax.grad(nn.relu)(3)",
    "nn.relu(F + 1j)",
    "nn.relu()",
    "nn.relu(F, F)",
    "jax.linearize(nn.relu, F)[1](F), show(jax.linearize(nn.relu, F)[1])(F)",
    "show(nn.relu)(F).eqns[0].primitive.name, sorted(show(nn.relu)(F).eqns[0].params)[:1]",
    "jax.jacrev(nn.relu)(F[3:6]), jax.jacfwd(jax.grad(lambda x: nn.silu(x).sum()))(F[3:6])",
    "jnp.logaddexp(M, 0), jnp.logaddexp(M[0], M), show(jnp.logaddexp)(M, 0)",
    "jax.grad(jnp.logaddexp)(jnp.inf, 1.0), jax.grad(jnp.logaddexp)(-jnp.inf, 1.0)",
    "jnp.logaddexp(jnp.inf, jnp.inf), jnp.logaddexp(-jnp.inf, -jnp.inf)",
    "jnp.logaddexp(jnp.nan, 1.0)",
    "jnp.logaddexp(I, 1), jnp.logaddexp(1.0, True), jnp.logaddexp(2, 3)",
    "jnp.logaddexp2(M, 0), show(jax.grad(jnp.logaddexp2))(1.0, 2.0)",
    "jax.grad(jax.grad(jnp.logaddexp))(1.0, 2.0), jax.grad(jax.grad(jnp.logaddexp2), 1)(1.0, 2.0)",
    "jnp.logaddexp(M + 1j, M - 2j), jnp.logaddexp2(M * 1j, M)",
    "jnp.logaddexp([1.0], 2.0)",
    "jnp.logaddexp(M, jnp.ones(2))",
    "jnp.log1p(F + 8), jnp.expm1(F), jnp.log1p(I + 4), jnp.expm1(I), jnp.log1p(1)",
)

SPECIAL = tuple(
    f"f = jax.scipy.special.{name}\nf(P), show(f)(P), jax.vmap(jax.grad(f))(P), f(0.5)"
    for name in ("erf", "erfc", "erfinv", "gammaln", "digamma", "expit", "logit")
) + tuple(
    f"f = jax.scipy.special.{name}\nf(P, P + 1), f(0.0, AT), f(2, 3), show(f)(P, 2.0),"
    " jax.vmap(jax.grad(f, (0, 1)))(P, P + 1), f(0.0, jnp.nan), jax.jit(f)(P, P)".replace("AT", at)
    for name, at in (("xlogy", "0.0"), ("xlog1py", "-1.0"))
) + (
    "jax.scipy.special.logit('text')",
    "jax.scipy.special.erf([1.0])",
    "jax.scipy.special.xlogy(F, F[:2])",
)

CASES = [*form_cases(), *ALONG, *SPECIAL]
