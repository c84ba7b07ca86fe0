"""A mistake for each `raise` of the functions that call others while a program runs."""

SETUP = """\
import importlib
io_callback = importlib.import_module(f'{jax.__name__}.experimental').io_callback
F = jnp.array([1.5, -2.0, 3.0])
NUMBER = jax.ShapeDtypeStruct((), 'float32')

def halved(x, method=None):
    return jax.pure_callback(lambda x: np.asarray(x) / 2, NUMBER, x, vmap_method=method)

def stored(x, **options):
    return io_callback(lambda x: None, None, x, **options)
"""

MESSAGES = {
    "jax.debug.print('x', 2)": "debug.print got arguments that its text does not name: 0. Name",
    "jax.debug.print(f'{2}', x=2, y=3)": "does not name: x, y. Name each in braces, and",
    "jax.debug.print(x=2)": "debug.print got arguments and nothing to give them to: {'x': 2}. Call",
    "jax.debug.callback(x=2)": "debug.callback got arguments and nothing to give them to: {'x': 2}",
    "jax.debug.callback(3)": "debug.callback takes a function first, and got 3. Give what is to be",
    "jax.debug.print(2)": "debug.print takes a text first, and got 2. Give one, such as '{}'.",
    "jax.debug.print('{}')": "debug.print names 0 in its text, and got no such argument. Give it.",
    "jax.debug.log('{')": "debug.log can't read its text '{': Single '{' encountered in",
    "jax.debug.log(2)": "debug.log takes a text first, and got 2. Give one, such as '{}'.",
    "jax.debug.breakpoint(token=F, ordered=True)":
        "debug.breakpoint got both ordered and token, and each says when it comes. Give one.",
    "jax.debug.breakpoint(num_frames='x')": "takes an integer as num_frames, and got 'x'. Give how",
    "halved('x')": "pure_callback gives its function arrays, and got 'x'. Give these, and",
    "halved(F, 'one')": "pure_callback knows no vmap_method 'one'. Give one of sequential,",
    "jax.vmap(halved)(F)": "pure_callback was mapped by vmap, and has no vmap_method. Give one of",
    "jax.grad(halved)(1.0)": "pure_callback's function has no derivative. Give the function that",
    "jax.grad(stored)(1.0)": "io_callback's function has no derivative. Give",
    "jax.linear_transpose(halved, 1.0)(1.0)": "pure_callback's function has no transpose. Give",
    "jax.vmap(lambda x: stored(x, ordered=True))(F)": "io_callback was mapped by vmap, and ordered",
    "halved(F)": "pure_callback's function returned float32[3], and\nresult_shape_dtypes says",
    "io_callback(lambda: np.ones(2, 'int32'), NUMBER)": "returned int32[2], and result_shape_dty",
    "io_callback(lambda: None, NUMBER)": "io_callback's function returned nothing, and result_sha",
    "io_callback(lambda: 'x', NUMBER)": "io_callback's function returned <U1[], and result_shape",
    "jax.pure_callback(np.sin, 1.0, F)": "pure_callback takes result_shape_dtypes with shapes and",
    "jax.pure_callback(np.sin, jax.ShapeDtypeStruct((), 'float64'), F)":
        "pure_callback got float64 in result_shape_dtypes, which has 64 bits. Give one of 32, or",
    "jax.pure_callback(lambda x: {}[3], NUMBER, 1.0)":
        "pure_callback's function <lambda> raised KeyError: 3\n  raised at: ",
    "jax.jit(lambda: lax.scan(lambda c, x: (jax.pure_callback(lambda x: {}[3], NUMBER, x), c), "
    "0.0, F))()":
        "pure_callback's function <lambda> raised KeyError: 3\n  raised at: ",
    "jax.grad(jax.checkpoint(lambda x: (stored(F), jnp.sin(x))[1]))(1.0)":
        "jax.checkpoint got a function with the effect IO, and its derivative would run",
    "jax.vmap(lambda n: lax.while_loop(lambda c: c < n, lambda c: (stored(F), c + 1)[1], 0.0))(F)":
        "lax.while_loop, which has an effect, ends for each example at another step",
    "jax.vmap(lambda p: lax.cond(p, lambda: stored(F), lambda: None))(F > 0)":
        "lax.cond got a mapped predicate, so that every branch runs, and one has an\neffect.",
}  # fmt: skip
# JAX finds it out when the program runs, or warns of what it finds in the frames.
OURS = {
    "jax.debug.breakpoint(prompt='x')": "debug.breakpoint knows no argument prompt. Give its",
    "jax.pure_callback(3, NUMBER, F)": "pure_callback takes a function first, and got 3. Give one.",
}
NAMES = {
    case: next(name for name in ("lax.cond", "lax.while_loop", "jax.checkpoint", "io_callback",
                                 "pure_callback", "debug.print", "debug.log", "debug.breakpoint",
                                 "debug.callback") if name in words or name in case)
    for case, words in (MESSAGES | OURS).items()
}  # fmt: skip
CASES = [
    *MESSAGES, "jax.debug.print('{x}')", "jax.ShapeDtypeStruct.like('x')",
]  # fmt: skip
