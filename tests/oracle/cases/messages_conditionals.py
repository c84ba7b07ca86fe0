"""Mistakes with cond, switch, while_loop and the solves, and words of what is said to each."""

SETUP = """\
F = jnp.arange(3.0)
M = jnp.ones((2, 3))
K = random.key(0)

def traced(f, n=1):
    return jax.jit(f)(n)

def doubled(x):
    return 2 * x

def until(x):
    return lax.while_loop(lambda c: c < 9, doubled, x)

def same(f, x):
    return x
"""

# What a case is called by in its message, where that isn't the function that it calls first.
NAMES = {
    "lax.cond(True, lambda x: 'a', lambda x: 'b', 1)": "<lambda> returned",
    "lax.while_loop(lambda c: c < 4, lambda c: 'a', 0)": "<lambda> returned",
    "lax.while_loop(lambda c: 'a', lambda c: c, 0)": "<lambda> returned",
    "traced(lambda n: jax.grad(until)(2.0))": "lax.while_loop",
    "jax.vjp(until, 2.0)[1](1.0)": "lax.while_loop",
    "jax.grad(lambda b: lax.custom_linear_solve(lambda x: x, b, same).sum())(F)":
        "lax.custom_linear_solve",
}  # fmt: skip
MESSAGES = {
    # Predicates and indices.
    "lax.cond(None, lambda: 1, lambda: 2)": "lax.cond takes one bool or number as its predicate",
    "lax.cond([True], lambda: 1, lambda: 2)": "and got [True].",
    "lax.cond(F > 1, lambda: 1, lambda: 2)":
        "got an array of type bool[3].\nUse x.any() or x.all()",
    "traced(lambda n: lax.cond(F > n, lambda: 1, lambda: 2))": "and got a traced bool[3].",
    "lax.cond('yes', lambda: 1, lambda: 2)": "and got 'yes'.",
    "lax.cond(1j, lambda: 1, lambda: 2)": "and got 1j.",
    "lax.cond(object(), lambda: 1, lambda: 2)": "an object of class object.",
    "lax.switch(1.0, [jnp.sin, jnp.cos], 1.0)":
        "lax.switch takes one integer as its index, and got",
    "lax.switch(True, [jnp.sin, jnp.cos], 1.0)": "and got True.\nUse lax.cond",
    "lax.switch(jnp.arange(2), [jnp.sin, jnp.cos], 1.0)": "jax.vmap for many indices.",
    # Functions.
    "lax.cond(True, 1.0, lambda: 2)": "lax.cond takes functions, and got 1.0 as true_fun.",
    "lax.cond(True, lambda: 1, F)": "an array of type float32[3] as false_fun.",
    "lax.switch(0, [jnp.sin, 2], 1.0)": "and got 2 as branches[1].",
    "lax.switch(0, jnp.sin, 1.0)": "lax.switch takes a list of functions",
    "lax.switch(0, [])": "lax.switch got no branches. Give a list of at least one function.",
    "lax.while_loop(3, doubled, 0)": "and got 3 as cond_fun.",
    "lax.while_loop(lambda c: c < 3, None, 0)": "and got None as body_fun.",
    "lax.platform_dependent(1.0, cpu=3)": "lax.platform_dependent takes functions, and got 3 as",
    "lax.platform_dependent(1.0, cpu=doubled, default=3)": "and got 3 as default.",
    "lax.platform_dependent(1.0, gpu=doubled)": "knows no 'gpu'. Name it 'cuda' or 'rocm'.",
    "lax.platform_dependent(1.0, tpu=doubled)": "Give it cpu=function or default=function.",
    "traced(lambda n: lax.platform_dependent(n, tpu=doubled))": "runs on the platform 'cpu'",
    "lax.custom_root(1, 1.0, same, same)": "lax.custom_root takes functions, and got 1 as f.",
    "lax.custom_linear_solve(doubled, F, 3)": "and got 3 as solve.",
    # Operands.
    "lax.cond(True, doubled, doubled, 's')": "lax.cond(doubled), argument x: 's' of type str",
    "lax.cond(True, doubled, doubled, 1, operand=2)": "lax.cond got 1 operands and operand=2.",
    "lax.switch(0, [doubled, jnp.sin], 1, operand=None)": "Give all of them by position.",
    "lax.while_loop(lambda c: c < 3, doubled, 's')": "lax.while_loop(doubled), argument x: 's'",
    "lax.while_loop(lambda c: True, lambda c: c, {'a': None, 'b': object()})": "c['b']: <object",
    # What branches return.
    "lax.cond(True, lambda: 1, lambda: 2.0)":
        "lax.cond needs branches that return the same types: the result is",
    "lax.cond(True, lambda: {'a': F}, lambda: {'a': M})": "the result['a'] is float32[3] from",
    "lax.cond(True, lambda: (1, 2), lambda: (1,))": "a tuple of 2 from\ntrue_fun, a tuple of",
    "lax.cond(True, lambda: (1,), lambda: [1])": "is a tuple of 1 from\ntrue_fun, a list of 1 from",
    "lax.cond(True, lambda: K, lambda: 1)": "Return one structure, shapes and dtypes from all",
    "lax.switch(0, [doubled, doubled, jnp.exp], 1)": "branches[0], ~float32[] from branches[2].",
    "traced(lambda n: lax.cond(n > 0, lambda: F, lambda: F[:2]))": "lax.cond needs branches that",
    "lax.cond(True, lambda x: 'a', lambda x: 'b', 1)": "returned 'a' of type str",
    # What a loop's functions return.
    "lax.while_loop(lambda c: c, lambda c: c, 0.0)":
        "lax.while_loop's cond_fun must return one bool",
    "lax.while_loop(lambda c: c < F, lambda c: c, F)": "it returned bool[3].\nCompare numbers, or",
    "lax.while_loop(lambda c: (c < 3, c < 4), lambda c: c, 0)":
        "it returned ('~bool[]', '~bool[]').",
    "lax.while_loop(lambda c: None, lambda c: c, 0)": "one bool, and it returned None.",
    "lax.while_loop(lambda c: 'a', lambda c: c, 0)": "returned 'a' of type str",
    "lax.while_loop(lambda c: c < 4, lambda c: 'a', 0)": "returned 'a' of type str",
    "lax.while_loop(lambda c: c < 4, lambda c: c + 0.5, np.int32(0))": "c is int32[] at first,",
    "lax.while_loop(lambda s: True, lambda s: {'w': s['w'] + F}, {'w': F[0]})":
        "s['w'] is float32[]",
    "lax.while_loop(lambda c: True, lambda c: c[0], (0, 1))": "a tuple of 2 at first,\n~int32[]",
    "lax.while_loop(lambda c: True, lambda c: None, 0)": "is ~int32[] at first, None\nafter a",
    # Derivatives.
    "jax.grad(until)(2.0)": "does not go through lax.while_loop, nor through",
    "jax.vjp(until, 2.0)[1](1.0)":
        "Use lax.scan, or lax.fori_loop with bounds that are Python ints",
    "traced(lambda n: jax.grad(until)(2.0))": "or forward mode, jax.jvp.",
    "jax.grad(lambda b: lax.custom_linear_solve(lambda x: x, b, same).sum())(F)":
        "has no transpose_solve, which reverse mode (jax.grad) needs.",
    # Solves.
    "lax.custom_root(lambda x: (x,), 1.0, same, same)": "f must return what is like its argument,",
    "lax.custom_root(doubled, 1.0, lambda f, x: (x,), same)": "lax.custom_root's solve must return",
    "lax.custom_root(doubled, 1.0, same, lambda g, y: (y,))": "tangent_solve must return",
    "lax.custom_root(doubled, 1.0, same, same, has_aux=True)": "a solve that returns a pair",
    "lax.custom_root(doubled, 's', same, same)": "lax.custom_root(doubled), argument x: 's'",
    "lax.custom_linear_solve(lambda x: x[:2], F, same)": "lax.custom_linear_solve's matvec must",
    "lax.custom_linear_solve(lambda x: [x], F, same)": "Return the same structure",
    "lax.custom_linear_solve(doubled, F, lambda f, b: b[:2])": "solve must return what is like its",
    "lax.custom_linear_solve(doubled, F, same, lambda f, b: b[:2])": "transpose_solve must return",
    "lax.custom_linear_solve(doubled, F, lambda f, b: b.astype('float16'))":
        "Return the same dtypes",
    "lax.custom_linear_solve(doubled, F, same, has_aux=True)": "Return the pair, or leave has_aux",
}  # fmt: skip
CASES = tuple(MESSAGES)
