"""Mistakes with scan, fori_loop, map and associative_scan, and words of what is said to each."""

SETUP = """\
F = jnp.arange(3.0)
M = jnp.ones((2, 3))
K = random.key(0)

def traced(f, n=1):
    return jax.jit(f)(n)

def step(c, x):
    return c + x, c

def unnamed(c, x):
    return {'w': c['w'] + 1}, x
"""

# What a case is called by in its message, where that isn't the function that it calls first.
NAMES = {
    "traced(lambda n: lax.fori_loop(0, n, lambda i, v: (v, v), 1.0))": "lax.while_loop",
    "lax.scan(lambda c, x: (K, x), 0.0, F)": "key<fry>",
    "lax.scan(lambda c, x: ('a', x), 0.0, F)": "<lambda> returned",
    "lax.map(lambda x: 'a', F)": "<lambda> returned",
}  # fmt: skip
MESSAGES = {
    # Functions.
    "lax.scan(3, 0.0, F)": "lax.scan takes a function as its first argument, and got 3.",
    "lax.scan(F, 0.0, F)": "itself: f, and not f(x).",
    "lax.fori_loop(0, 3, 4, 1.0)": "lax.fori_loop takes a function",
    "lax.map(3, F)": "lax.map takes a function as its first argument",
    "lax.associative_scan(3, F)": "lax.associative_scan takes a function",
    # What it returns.
    "lax.scan(lambda c, x: c, 0.0, F)": "lax.scan takes a function that returns",
    "lax.scan(lambda c, x: (c, x, x), 0.0, F)": "returned a tuple\nof 3. Return None as y",
    "lax.scan(lambda c, x: None, 0.0, F)": "Give it a return statement, such as `return",
    "lax.scan(lambda c, x: ('a', x), 0.0, F)": "returned 'a' of type str",
    "lax.map(lambda x: 'a', F)": "returned 'a' of type str",
    # The carry's type.
    "lax.scan(step, np.int32(0), F)": "c is int32[] at the start, float32[]",
    "lax.scan(lambda c, x: (F, x), 0.0, F)":
        "c is float32[] at the start,",
    "lax.scan(lambda c, x: ((c,), x), 0.0, F)":
        "c is ~float32[] at the start, a\ntuple of 1 after a step",
    "lax.scan(lambda c, x: ([c[0]], x), (0.0,), F)":
        "c is a tuple of 1 at the start, a\nlist of 1 after a step",
    "lax.scan(unnamed, {'w': 1, 'b': 2.0}, F)": "the keys ['b', 'w']\nat the",
    "lax.scan(lambda s, x: ({'w': s['w'] + F}, x), {'w': F[0]}, F)":
        "s['w'] is float32[] at the start",
    "lax.scan(lambda c, x: (c[:-1], x), (1, 2, 3, 4, 5, 6), F)":
        "c is a tuple of 6 at the start, a\ntuple of 5 after a step",
    "lax.scan(lambda c, x: (c > 0, x), 0, F)": "c is int32[] at the start, bool[]",
    "lax.scan(lambda c, x: ([a + F for a in c], x), [F[0]] * 5, F)":
        "at the start, float32[3] after a step, and 2 more.",
    "lax.scan(lambda c, x: (K, x), 0.0, F)": "promotes to no other dtype",
    "lax.fori_loop(0, 3, lambda i, v: v + F, F[0])":
        "start, float32[3] after a step.",
    "lax.fori_loop(0, 3, lambda i, v: (v, v), 1.0)": "lax.fori_loop carries one type through all",
    "lax.fori_loop(0, 3, lambda i, v: {'a': v['a'] * 1.5}, {'a': np.int32(2)})":
        ".val['a'] is int32[]",
    "traced(lambda n: lax.fori_loop(0, n, lambda i, v: (v, v), 1.0))": ".val is",
    # What it is given.
    "lax.scan(step, 's', F)": "argument c: 's' of type str is not an array or a number.",
    "lax.scan(step, 0.0, 's')": "argument x: 's' of type str",
    "lax.scan(step, {'a': None, 'b': object()}, F)": "argument c['b']: <object",
    "lax.fori_loop(0, 3, lambda i, v: v, 's')": "lax.fori_loop(<lambda>), argument v: 's'",
    "lax.map(jnp.sin, 's')": "lax.map(sin), argument",
    "lax.scan(step, 0.0, 1.0)": "slices along axis 0 of xs, and got 1.0",
    "lax.scan(step, 0.0, F[0])": "lax.scan takes slices along axis 0",
    "lax.scan(step, 0.0, [F, 2.0])": "Give arrays with an axis",
    "lax.map(jnp.sin, 2.0)": "lax.map takes slices along axis 0 of xs, and got 2.0",
    "lax.map(jnp.sin, F[0], batch_size=2)": "lax.map takes slices along axis 0",
    # Lengths.
    "lax.scan(step, 0.0)": "lax.scan got neither arrays in xs nor a length. Give length=10",
    "lax.scan(step, 0.0, [])": "neither arrays in xs nor a length.",
    "lax.scan(step, 0.0, (F, M))": "whose leading axes have the sizes [3, 2]. Give them one size.",
    "lax.map(jnp.add, (F, M))": "lax.map got xs whose leading axes have the sizes [3, 2].",
    "lax.scan(step, 0.0, F, length=4)": "length=4 and xs whose leading axes have",
    "traced(lambda n: lax.scan(step, 0.0, F, length=n))": "lax.scan needs length to be known",
    "traced(lambda n: lax.scan(step, 0.0, F, unroll=n))": "lax.scan needs unroll to be known",
    "traced(lambda n: lax.scan(step, 0.0, F, reverse=n))": "lax.scan got a traced `reverse`",
    "lax.scan(step, 0.0, F, unroll=-1)": "lax.scan got unroll=-1. Give an integer from 0, True",
    "lax.scan(step, 0.0, F, unroll='a')": "lax.scan takes an integer as unroll, and got 'a'.",
    "lax.scan(step, 0.0, F, unroll=None)": "lax.scan takes an integer as unroll, and got None.",
    "lax.fori_loop(0, 3, lambda i, v: v, 1.0, unroll=-2)": "lax.fori_loop got unroll=-2.",
    "lax.map(jnp.sin, F, batch_size=-1)": "lax.map got batch_size=-1. Give an integer from 0.",
    "lax.map(jnp.sin, F, batch_size='a')": "lax.map takes an integer as batch_size",
    "with jax.disable_jit():\n    lax.scan(step, 0.0, F[:0])\n0": "lax.scan of no steps does not",
    # Bounds.
    "lax.fori_loop(0, 3.0, lambda i, v: v, 1.0)": "bounds of two types, ~int32[] and ~float32[].",
    "lax.fori_loop(np.int8(0), np.int16(3), lambda i, v: v, 1.0)": "types, int8[] and int16[].",
    "lax.fori_loop(np.uint8(0), 3, lambda i, v: v, 1.0)": "uint8[] and ~int32[].",
    "lax.fori_loop(F, F, lambda i, v: v, 1.0)": "lax.fori_loop got the bounds float32[3] and",
    "traced(lambda n: lax.fori_loop(0, n, lambda i, v: v, 1.0, unroll=2))":
        "bounds that are traced.",
    # associative_scan.
    "lax.associative_scan(jnp.add, [])": "lax.associative_scan got no arrays in elems.",
    "lax.associative_scan(jnp.add, F, axis=1)": "lax.associative_scan found no axis 1 among 1.",
    "lax.associative_scan(jnp.add, [F, M])": "got elems of the shapes [(3,), (2, 3)].",
}  # fmt: skip
CASES = tuple(MESSAGES)
