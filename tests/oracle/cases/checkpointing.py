"""Checkpointed functions: values, derivatives, what is kept; transposes of linear functions."""

SETUP = """\
import contextlib
import importlib
import io
import itertools
import re

ad = importlib.import_module(jax.__name__ + ".ad_checkpoint")
named = ad.checkpoint_name
cp = jax.checkpoint_policies
OFFLOADED = cp.offload_dot_with_no_batch_dims('device', 'pinned_host')
NAMES = dict(names_which_can_be_saved=['a'], names_which_can_be_offloaded=['b'],
             offload_src='device', offload_dst='pinned_host')
OFFLOADED_NAMES = cp.save_and_offload_only_these_names(**NAMES)
F = jnp.arange(3.0)
M = jnp.array([[1.0, -2.0, 0.5], [3.0, 0.25, -1.5], [0.5, 1.0, 2.0]])
H = jnp.arange(3, dtype='bfloat16')
C = jnp.array([1.0 + 2.0j, -0.5j])
K = random.key(0)

def sinsin(x):
    return jnp.sin(jnp.sin(x))

def layer(x, w):
    return jnp.sum(named(jnp.sin(x @ w), 'y') @ w)

def wide(x, y):
    z = jnp.exp(x * y)
    return jnp.sin(z) + x, jnp.cos(z) * y

@jax.jit
def inner(x):
    return jnp.sin(jnp.sin(x)) * x

def derivatives(f, *xs, **how):
    g = jax.checkpoint(f, **how)
    ones = [jnp.ones_like(x) for x in xs]
    out = g(*xs)
    yield jax.make_jaxpr(g)(*xs)
    yield jax.make_jaxpr(lambda *xs: jax.jvp(g, xs, xs))(*xs)
    yield jax.make_jaxpr(lambda *xs: jax.vjp(g, *xs)[1](out))(*xs)
    yield jax.make_jaxpr(lambda *xs: jax.linearize(g, *xs)[1](*xs))(*xs)

def second(f, x, **how):
    g = jax.checkpoint(f, **how)
    return g(x), jax.grad(g)(x), jax.grad(jax.grad(g))(x), jax.jacfwd(jax.grad(g))(x)

def kept(f, *args, **kwargs):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        ad.print_saved_residuals(f, *args, **kwargs)
    place = r' from \\S*(line )?\\d*(:\\d+)*( \\(.*\\))?$'
    return re.sub(place, '', printed.getvalue(), flags=re.MULTILINE)

def scaled(x, y):
    return x['a'] + y

def product(x, y):
    return jnp.sin(x) * y

def chosen(x, flags):
    return x if flags[0] else -x

@jax.checkpoint
def sin_step(c, _):
    return jnp.sin(c), None

@jax.checkpoint
def w_step(c, w):
    return jnp.sin(c) * jnp.exp(w), c * c

@jax.custom_jvp
def own(x):
    return jnp.sin(x)

own.defjvps(lambda t, ans, x: 2 * t * jnp.cos(x))

@jax.custom_vjp
def own_vjp(x):
    return jnp.sin(x)

own_vjp.defvjp(lambda x: (jnp.sin(x), x), lambda x, ct: (3 * ct * jnp.cos(x),))

@jax.checkpoint
def own_step(c, _):
    return own_vjp(c), None

def scanned(x):
    return lax.scan(lambda c, w: (jnp.sin(c) * w, c), x, F)[0]

def by_branch(x):
    return jax.lax.cond(x.sum() > 0, lambda x: jnp.sin(named(jnp.sin(x), 'y')), jnp.exp, x)

def by_steps(x):
    def step(c, y):
        return jnp.sin(named(jnp.sin(c * x), 'y')) * y, jnp.tanh(jnp.dot(M, c))
    return jax.lax.scan(step, x, F[1:])

def by_both(x):
    return jax.lax.scan(lambda c, y: (by_branch(c) * y, jnp.dot(M, c)), x, F[1:])

def types_kept(f, x, policy):
    # What is saved: how the loop or branch is called that saves it, is a matter of taste.
    lines = kept(jax.checkpoint(lambda x: jax.tree.map(jnp.sum, f(x)), policy=policy), x)
    return sorted(line.split(' ')[0] for line in lines.splitlines())

def total(f, policy):
    return lambda x: sum(map(jnp.sum, tree_util.tree_leaves(jax.checkpoint(f, policy=policy)(x))))

def doubled(x):
    return lax.while_loop(lambda c: c < 9, lambda c: c * 2, x)

def transposed(f, *primals):
    return jax.linear_transpose(f, *primals)
"""

FUNCTIONS = {
    "sinsin": "1.0",
    "lambda x: x": "1.0",
    "lambda x: x * x * x": "F",
    "lambda x: 2.0 * x": "F",
    "lambda x: (x, jnp.sin(x))": "F",
    "lambda x: {'a': jnp.exp(jnp.tanh(x)), 'b': (x,)}": "F",
    "lambda x, y: jnp.sin(x) * y": "1.0, 2.0",
    "lambda x, y: x": "1.0, 2.0",
    "lambda x, y: jnp.exp(x) / y": "F, 2.0",
    "wide": "1.0, 2.0",
    "layer": "M, M",
    "lambda x: jnp.sin(F) * x": "F",
    "lambda x: jnp.sum(jnp.tanh(x) ** 2)": "F",
    "lambda x: jnp.log(1.0 + jnp.exp(x))": "H",
    "lambda x: jnp.max(x) * x": "F",
    "lambda x: jnp.sin(x) * C": "C",
    "lambda x: jnp.sqrt(jax.vmap(lambda row: row @ row)(x))": "M",
    "lambda x: named(jnp.sin(named(jnp.cos(x), 'a')), 'b') * x": "F",
    "lambda x: lax.dot_general(x, x, (((1,), (1,)), ((0,), (0,))))": "M",
    "lambda x: jax.grad(lambda y: jnp.sin(y) * y)(x)": "1.0",
}
# Within these is a jit or a checkpoint, in whose derivatives JAX names variables in another way.
WITH_INNER = {
    "lambda x: jnp.where(x > 1, jnp.sin(x), x)": "F",
    "inner": "1.0",
    "lambda x: inner(x) * jnp.sin(x)": "1.0",
    "lambda x: jnp.sin(jax.checkpoint(lambda y: jnp.exp(jnp.sin(y)))(x))": "1.0",
}
POLICIES = (
    "cp.everything_saveable",
    "cp.nothing_saveable",
    "cp.dots_saveable",
    "cp.checkpoint_dots_with_no_batch_dims",
    "cp.save_only_these_names('y')",
    "cp.save_any_names_but_these('a')",
    "cp.save_anything_except_these_names('a')",
    "cp.save_from_both_policies(cp.dots_saveable, cp.save_only_these_names('b'))",
    "lambda prim, *_, **params: prim.name == 'sin'",
    "lambda prim, *avals, **params: ad.Saveable if len(avals) > 1 else ad.Recompute",
)
UNDER_POLICIES = (
    "layer, M, M",
    "lambda x: named(jnp.sin(named(jnp.cos(x), 'a')), 'b') * x, F",
    "lambda x: jnp.sqrt(jax.vmap(lambda row: row @ row)(x)), M",
    "wide, 1.0, 2.0",
)

PLACES = """
jax.make_jaxpr(jax.jit(jax.grad(jax.checkpoint(sinsin))))(1.0)
jax.make_jaxpr(jax.grad(jax.jit(jax.checkpoint(sinsin))))(1.0)
jax.make_jaxpr(jax.grad(jax.grad(jax.checkpoint(sinsin))))(1.0)
jax.make_jaxpr(jax.jvp)(jax.checkpoint(sinsin), (1.0,), (1.0,))
jax.make_jaxpr(jax.vmap(jax.checkpoint(sinsin)))(F)
jax.make_jaxpr(jax.vmap(jax.grad(jax.checkpoint(sinsin))))(F)
jax.make_jaxpr(jax.grad(lambda x: jax.vmap(jax.checkpoint(sinsin))(x).sum()))(F)
jax.make_jaxpr(jax.vmap(jax.checkpoint(lambda x, y: (x, x @ y)), in_axes=(1, None)))(M, M)
jax.make_jaxpr(jax.vmap(jax.checkpoint(lambda x, y: (y, x)), in_axes=(1, 0)))(M, M)
jax.make_jaxpr(jax.vmap(jax.checkpoint(lambda x: lax.psum(x, 'i') * x), axis_name='i'))(F)
jax.make_jaxpr(jax.checkpoint(lambda x: (F * x, np.ones(3, 'float32') + x)))(F)
jax.make_jaxpr(lambda y: jax.checkpoint(lambda x: x * y * F)(y))(F)
jax.make_jaxpr(lambda y: jax.grad(lambda x: jax.checkpoint(lambda x: x * y)(x))(2.0))(1.0)
jax.make_jaxpr(jax.checkpoint(sinsin, prevent_cse=False))(1.0)
jax.make_jaxpr(jax.checkpoint(lambda x, y: x + y, prevent_cse=(True, False)))(1.0, 2.0)
jax.make_jaxpr(jax.checkpoint(scaled, prevent_cse=(True, False)))({'a': F}, 2.0)
jax.make_jaxpr(jax.checkpoint(scaled, prevent_cse=({'a': True}, False)))({'a': F}, 2.0)
jax.make_jaxpr(jax.grad(jax.checkpoint(product, prevent_cse=(True, False))))(1.0, 2.0)
jax.make_jaxpr(jax.grad(jax.checkpoint(product, prevent_cse=(True, False)), 1))(1.0, 2.0)
jax.make_jaxpr(lambda x: jax.jvp(jax.checkpoint(sinsin, prevent_cse=(False,)), (x,), (x,)))(1.0)
jax.make_jaxpr(jax.checkpoint(lambda x, flag: x if flag else -x, static_argnums=1))(1.0, False)
jax.make_jaxpr(jax.checkpoint(lambda flag, x: x if flag else -x, static_argnums=(0,)))(True, 1.0)
jax.make_jaxpr(jax.checkpoint(chosen, static_argnums=-1))(1.0, [False])
jax.checkpoint(chosen, static_argnums=-1)(1.0, [False])
jax.make_jaxpr(jax.checkpoint(lambda x, *, y=2.0: x * y))(1.0, y=3.0)
jax.make_jaxpr(jax.remat(sinsin, policy=None))(1.0)
jax.make_jaxpr(functools.partial(jax.checkpoint, policy=cp.dots_saveable)(sinsin))(1.0)
jax.make_jaxpr(lambda x: (jax.checkpoint(sinsin)(x), jax.checkpoint(sinsin)(x)))(1.0)
jax.checkpoint(lambda x: x)(K)
jax.checkpoint(lambda x: random.bits(x))(K)
jax.checkpoint(lambda: F)()
jax.checkpoint(lambda x: x)(3)
jax.checkpoint(lambda x: None)(3)
jax.checkpoint(sinsin)(jnp.zeros(0))
jax.checkpoint(sinsin).__name__
jax.value_and_grad(jax.checkpoint(sinsin))(2.0)
jax.grad(jax.checkpoint(lambda x, n: x * n))(2.0, 3)
jax.grad(jax.checkpoint(lambda x: jnp.sum(x.astype(int)) * 1.0 + jnp.sum(x)))(F)
jax.vjp(jax.checkpoint(lambda x, n: (x * n, n)), 2.0, 3)[0]
jax.hessian(jax.checkpoint(lambda x: jnp.sum(jnp.sin(x) * x[::-1])))(F)
jax.jacrev(jax.checkpoint(jnp.tanh))(F)
jax.jacfwd(jax.checkpoint(jnp.tanh))(F)
jax.jit(jax.checkpoint(lambda x, y: x * y))(2.0, F)
jax.grad(lambda x: jax.checkpoint(lambda y: y * x)(jnp.sin(x)))(2.0)
jax.grad(lambda x: jax.jvp(jax.checkpoint(lambda y: y * y * x), (x,), (1.0,))[1])(2.0)
jax.grad(lambda x: jax.linearize(jax.checkpoint(sinsin), x)[1](x))(2.0)
jax.vmap(jax.checkpoint(lambda x, y: x * y), in_axes=(0, None))(F, 2.0)
jax.vmap(jax.grad(jax.checkpoint(lambda x, y: jnp.sin(x) * y), (0, 1)))(F, F)
jax.jvp(jax.vmap(jax.checkpoint(sinsin)), (F,), (F,))
jax.grad(jax.checkpoint(lambda x: (jnp.sin(x @ x) @ x).sum(), policy=OFFLOADED))(M)
jax.grad(jax.checkpoint(lambda x: jnp.sin(named(jnp.sin(x), 'b')).sum(), policy=OFFLOADED_NAMES))(F)
ad.Offloadable('device', 'pinned_host')
cp.save_and_offload_only_these_names(**(NAMES | {'names_which_can_be_saved': ['b']}))
jax.eval_shape(jax.checkpoint(sinsin), F)
jax.linearize(jax.checkpoint(sinsin), 1.0)[1](2.0)
jax.closure_convert(jax.checkpoint(sinsin), 1.0)[0](2.0)
named(F, 'y')
named({'a': F, 'b': (M,)}, 'y')
jax.make_jaxpr(lambda x: named({'a': x, 'b': (x,)}, 'y'))(F)
jax.make_jaxpr(jax.grad(lambda x: named(jnp.sin(x), 'y')))(1.0)
jax.make_jaxpr(lambda x: jax.jvp(lambda x: named(x, 'y'), (x,), (x,)))(1.0)
jax.make_jaxpr(jax.vmap(lambda x: named(x, 'y'), 1, 1))(M)
named(K, 'y')
"""

BARRIERS = """
lax.optimization_barrier((1.0, {'a': F}))
lax.optimization_barrier(())
lax.optimization_barrier(K)
jax.make_jaxpr(lax.optimization_barrier)((1.0, 2))
jax.make_jaxpr(lambda: lax.optimization_barrier(None))()
jax.make_jaxpr(jax.vmap(lax.optimization_barrier))((M, F))
jax.make_jaxpr(jax.vmap(lambda x, y: lax.optimization_barrier((x, y)), in_axes=(1, None)))(M, F)
jax.make_jaxpr(jax.grad(lambda x, y: lax.optimization_barrier((x, y))[0] * y))(1.0, 2.0)
jax.make_jaxpr(jax.grad(lambda x, y: lax.optimization_barrier((x, y))[0] * y, (0, 1)))(1.0, 2.0)
jax.make_jaxpr(lambda x: jax.jvp(lambda x: lax.optimization_barrier((x, F)), (x,), (x,)))(1.0)
jax.make_jaxpr(jax.jit(lambda x, y: lax.optimization_barrier((x, y))[0]))(1.0, 2.0)
jax.grad(lambda x: lax.optimization_barrier((x, 3))[0] * 2.0)(1.0)
lax.optimization_barrier('a')
"""

CONTROL_FLOW = """
jax.make_jaxpr(jax.jit(lambda x: lax.scan(sin_step, x, None, length=3)[0]))(1.0)
jax.make_jaxpr(jax.grad(lambda x: lax.scan(sin_step, x, None, length=3)[0]))(1.0)
jax.make_jaxpr(jax.grad(lambda x: lax.scan(w_step, x, F)[0]))(1.0)
jax.grad(lambda x: lax.scan(sin_step, x, None, length=3)[0])(0.5)
jax.grad(lambda x: jnp.sum(lax.scan(w_step, x, F)[1]))(0.5)
jax.grad(lambda w: lax.scan(w_step, 0.5, w)[0])(F)
jax.hessian(lambda w: lax.scan(w_step, 0.5, w)[0])(F)
jax.vmap(jax.grad(lambda x: lax.scan(w_step, x, F)[0]))(F)
jax.grad(lambda x: jax.checkpoint(scanned)(x))(0.5)
jax.grad(jax.grad(jax.checkpoint(scanned)))(0.5)
jax.grad(jax.checkpoint(lambda x: lax.scan(w_step, x, F)[0]))(0.5)
jax.grad(jax.checkpoint(lambda x: lax.scan(w_step, x, F)[0], policy=cp.everything_saveable))(0.5)
jax.grad(jax.checkpoint(lambda x: lax.cond(x > 0, jnp.sin, jnp.cos, x) * x))(0.5)
jax.grad(jax.checkpoint(lambda x: lax.cond(x > 0, jnp.sin, jnp.cos, x) * x))(-0.5)
jax.grad(lambda x: lax.cond(x > 0, jax.checkpoint(sinsin), jnp.cos, x))(0.5)
jax.grad(lambda x: lax.cond(x > 0, jax.checkpoint(sinsin), jnp.cos, x))(-0.5)
jax.grad(jax.grad(lambda x: lax.cond(x > 0, jax.checkpoint(sinsin), jnp.cos, x)))(0.5)
jax.vmap(jax.grad(jax.checkpoint(lambda x: lax.cond(x > 0, jnp.sin, jnp.cos, x) * x)))(F - 1)
jax.jvp(jax.checkpoint(doubled), (1.0,), (1.0,))
jax.grad(jax.checkpoint(lambda x: lax.fori_loop(0, 3, lambda i, c: jnp.sin(c) * i, x)))(0.5)
jax.grad(jax.checkpoint(lambda x: doubled(1.0) * x))(2.0)
jax.grad(jax.checkpoint(doubled))(2.0)
jax.make_jaxpr(jax.grad(jax.checkpoint(own)))(1.0)
jax.grad(jax.checkpoint(own))(0.5), jax.grad(jax.grad(jax.checkpoint(own)))(0.5)
jax.jvp(jax.checkpoint(own), (0.5,), (1.0,))
jax.make_jaxpr(jax.checkpoint(own))(1.0)
jax.grad(jax.checkpoint(own_vjp))(0.5), jax.grad(lambda x: jax.checkpoint(own_vjp)(x) * x)(0.5)
jax.grad(jax.grad(jax.checkpoint(own_vjp)))(0.5)
jax.vmap(jax.grad(jax.checkpoint(own_vjp)))(F)
jax.make_jaxpr(jax.checkpoint(own_vjp))(1.0)
jax.jvp(jax.checkpoint(own_vjp), (0.5,), (1.0,))
jax.grad(lambda x: lax.scan(own_step, x, None, length=3)[0])(0.5)
"""

KEPT = (
    "jnp.sin, 1.0",
    "lambda x: jnp.sin(x), 1.0",
    "lambda x, b=2.0: jnp.sin(x) * b, 1.0, b=3.0",
    "lambda x: jnp.sin(x) * F, F",
    "lambda p: jnp.sin(p['a']) * p['b'][0], {'a': 1.0, 'b': (2.0,)}",
    "lambda x: x * 2.0, 1.0",
    "lambda x: x * x, 1.0",
    "lambda x: (jnp.exp(x), jnp.exp(x)), 1.0",
    "lambda x: jnp.exp(named(x, 'hi')), F",
    "lambda x: jnp.sin(named(jnp.exp(x), 'hi')), F",
    "lambda *xs: xs[0] * xs[1], 1.0, 2.0",
    "lambda x, y: x / y, 1.0, 3.0",
    "lambda x: x, 1.0",
    "layer, M, M",
    "jax.checkpoint(layer), M, M",
    *(f"jax.checkpoint(layer, policy={policy}), M, M" for policy in POLICIES),
    "jax.checkpoint(sinsin, policy=cp.everything_saveable), 1.0",
    "lambda x: jax.checkpoint(sinsin)(jnp.sin(x)), 1.0",
    "lambda x: jax.checkpoint(lambda x: jax.checkpoint(sinsin)(jnp.sin(x)))(x), 1.0",
    "3, 1.0",
    "jnp.sin, 'a'",
)

TRANSPOSES = (
    "lambda x: 3.0 * x, 1.0)(2.0",
    "lambda x: 3.0 * x, F)(F",
    "lambda x, y: 3.0 * x + y.sum(), F, F)(F",
    "lambda x: 3.0 * x, jax.ShapeDtypeStruct((3,), jnp.float32))(F",
    "lambda d: {'o': 3.0 * d['a']}, {'a': F})({'o': F}",
    "lambda x: M @ x, F)(F",
    "lambda x: x, F)(F",
    "lambda x, y: x, F, F)(F",
    "lambda x: (x, 2.0 * x), jnp.float16(3))((jnp.float16(1), jnp.float16(2))",
    "lambda x: 1.0, F)(1.0",
    "lambda x: x + 1.0, F)(F",
    "lambda x: x * 1j, C)(C",
    "lambda x: 3.0 * x, jnp.float32(1))(2.0",
    "lambda x: 3.0 * x, 1.0)(jnp.float32(2)",
    "lambda: 3.0 * F)(F",
    "lambda d: {'o': 3.0 * d['a']}, {'a': F})(F",
    "lambda x: 3.0 * x, F)(1.0",
    "lambda x: 3.0 * x, F)(jnp.arange(3)",
    "lambda x: 3.0 * x, F)(F, F",
    "lambda x: 3.0 * x, F)(",
    "lambda x: jnp.sin(x), F)(F",
    "lambda x: x.astype(int), F)(jnp.arange(3)",
    "lambda x: x, True)(True",
    "3, F)(F",
    "lambda x: x, 'a')(F",
    "jax.checkpoint(lambda x: 3.0 * x), F)(F",
    "jax.jit(lambda x: x[::2]), F)(F[:2]",
)

OF_TRANSPOSES = """
jax.linear_transpose(lambda x: x, F, reduce_axes=('i',))
jax.jit(lambda ct: transposed(lambda x: 3.0 * x, F)(ct))(F)
jax.make_jaxpr(lambda ct: transposed(lambda x: 3.0 * x, F)(ct))(F)
jax.grad(lambda s: transposed(lambda x: s * x, F)(F)[0].sum())(2.0)
jax.vmap(lambda s: transposed(lambda x: s * x, F)(F)[0])(F)
tree_util.tree_leaves(transposed(lambda x: F * x, F))
"""


def cases():
    for function, xs in FUNCTIONS.items():
        yield f"list(derivatives({function}, {xs}))"
    for function, xs in WITH_INNER.items():
        yield f"list(itertools.islice(derivatives({function}, {xs}), 2))"
        yield f"jax.grad(lambda x: jnp.sum(jax.checkpoint({function})(x)))({xs})"
    for function in ("sinsin", "inner", "lambda x: jnp.exp(x) * jnp.tanh(x)"):
        for x in ("0.5", "jnp.bfloat16(0.5)", "jnp.float16(0.5)"):
            yield f"second({function}, {x})"
    for policy in POLICIES:
        for call in UNDER_POLICIES:
            yield f"list(derivatives({call}, policy={policy}))"
        yield f"kept(jax.checkpoint(inner, policy={policy}), 1.0)"
        yield f"second(lambda x: inner(x) * jnp.sin(x), 0.5, policy={policy})"
        yield f"second(lambda x: jnp.sum(jnp.sin(x) @ M @ x) * x.sum(), F, policy={policy})[1]"
        yield f"jax.grad(jax.checkpoint(layer, policy={policy}), (0, 1))(M, M)"
    for policy in ("None", "cp.dots_saveable", "cp.save_only_these_names('y')"):
        for function in ("by_branch", "by_steps", "by_both"):
            yield f"types_kept({function}, F, {policy})"
            yield f"jax.grad(total({function}, {policy}))(F)"
        yield f"jax.jit(jax.hessian(total(by_steps, {policy})))(F)"
    for call in KEPT:
        yield f"kept({call})"
    for call in TRANSPOSES:
        yield f"transposed({call})"
    for block in (PLACES, BARRIERS, CONTROL_FLOW, OF_TRANSPOSES):
        yield from block.strip().splitlines()


CASES = [*cases()]
