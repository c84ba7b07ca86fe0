"""Mistakes with references, and what is said of them.

`tests/test_messages.py` reads the messages; here it is the classes that count.
"""

SETUP = """\
import importlib
ref = importlib.import_module(jax.__name__ + '.ref')
F = jnp.arange(3.0)
R = jax.new_ref(F)
sin_vjp = jax.vjp(jnp.sin, 1.0)[1]

def put(r, i, x):
    r[i] = x

def traced(f, *args):
    return jax.make_jaxpr(f)(*args)
"""

MAKING = {
    "jax.new_ref('a')": "new_ref takes an array or a number, and got 'a'. Give jnp.array(...).",
    "jax.new_ref([1, 2])": "new_ref takes an array or a number, and got [1, 2]. Give",
    "jax.new_ref(F, memory_space='hbm')": "outside of programs there is one memory.",
    "jax.empty_ref(jax.ShapeDtypeStruct((3,), 'float32'))": "inside of programs only. Call it",
    "jax.freeze(3)": "freeze takes a reference, and got 3. Make one: new_ref(x).",
}
INDEXING = {
    "R[[0, 1]]": "a list is no index. Give a tuple or an array.",
    "R[..., ...]": "got more than one Ellipsis. Give one.",
    "R[0, 0]": "got an index of 2 entries for a reference of the shape (3,). Leave some out.",
    "R[::-1]": "no slices with the step -1. Use what is in it",
    "R['a']": "ref['a'] is no index. Give integers, slices, `...` or",
    "R[3]": "ref[3] is out of range of an axis of 3 elements. Give one",
    "R[jax.ds(2, 2)]": "is out of range of an axis of 3 elements.",
}
WRITING = {
    "put(R, ..., F[:2])": "got a value of the shape (2,) for a part of the shape (3,) of a Ref{",
    "put(R, ..., jnp.arange(3))": "got a value of int32 for a Ref{float32[3]}. Convert it: x.ast",
    "ref.addupdate(R, ..., jnp.arange(3))": "got a value of int32 for a Ref{float32[3]}. Convert",
    "ref.get(F, 0)": "get takes a reference, and got an array of type float32[3]. Make one: new_",
    "ref.set(F, 0, 1.0)": "set takes a reference, and got an array of type float32[3]. Make one:",
    "jax.vmap(lambda x: put(R, 0, x))(F)": "is one for all examples. Give\nthe reference to the",
    "jax.grad(lambda x: (put(R, 0, x), x)[1])(1.0)": "that is not. Make the\nreference inside",
}
TAKING = {
    "bool(jax.new_ref(1.0))": "is neither true nor false. Use bool(ref[...]).",
    "traced(lambda r: lax.sin(r), R)": "sin takes arrays, and got a reference among [Ref{float32[",
}
ALIASES = {
    "jax.jit(lambda r: r)(R)": "jit(<lambda>) returned a reference of type Ref{float32[3]}. Return",
    "jax.jit(lambda a, b: 1)(R, R)": "one reference of type Ref{float32[3]} as a and as b. Give it",
    "jax.jit(lambda a: a[0] + R[0])(R)": "as a, and the function\nholds it too. Use the argument a",
    "lax.cond(True, lambda q, p: 1, lambda q, p: 2, R, R)": "one reference of type Ref{float32[3]}",
    "lax.cond(True, lambda q: q[0] + R[0], lambda q: q[1], R)": "its function holds too. Use the",
}
GRADIENTS = {
    "jax.vjp(lambda r: r[...] ** 2, R)[1](F)": "is added up in a reference. Give one, of zeros",
    "sin_vjp.with_refs(R)(1.0)": "for the gradient by an argument of ~float32[].",
}
# JAX takes these, or raises what an accident has it raise.
OURS = {
    "R[F > 1]": "a mask is no index of references. Use jnp.nonzero(mask).",
    "np.sum(R)": "A Ref{float32[3]} is no array. Use what is in it: ref[...].",
    "sin_vjp.with_refs(jax.ad.GradValue(), jax.ad.GradValue())(1.0)": "Give one for each leaf.",
    "jax.freeze(F)": "freeze takes a reference, and got an array of type float32[3]. Make one:",
    "jax.free_ref(F)": "free_ref takes a reference, and got an array of type float32[3]. Make",
    "jax.empty_ref(3)":
        "empty_ref takes a type, and got 3. Give jax.ShapeDtypeStruct(shape, dtype)",
    "put(R, ..., R)": "A reference holds arrays, and got Ref{float32[3]}. Use what is in it",
    "R[1.0]": "takes integers, and got an index of ~float32[]. Use i.astype(int).",
    "R[-4]": "ref[-4] is out of range of an axis of 3 elements. Give one from -3 to 2.",
    "R[jax.ds(0, 'a')]": "has no known size. Give one.",
    "lax.while_loop(lambda c: (put(R, 0, 9.0), R[0] < 3.0)[1], lambda c: c, 0)":
        "lax.while_loop's cond_fun writes to a reference. Write in body_fun.",
    "jax.jit(lax.composite(lambda r: r[0], 'first'))(R)":
        "composite takes no references in a program that is run. Give it what is in",
    "sin_vjp.with_refs(1.0)": "with_refs takes references, jax.ad.GradValue() and",
    "jax.vmap(lambda r, i: r.at[i].at[0][...], (None, 0))(jax.new_ref(jnp.ones((3, 3))),"
    " F.astype(int))":
        "differs between the examples of vmap.",
    "jax.vmap(lambda r: r.at[:, F.astype(int), F.astype(int)].at[0][...], 2)("
    "jax.new_ref(jnp.ones((3, 3, 3, 3))))":
        "has arrays between slices under vmap.",
}
MESSAGES = {**MAKING, **INDEXING, **WRITING, **TAKING, **ALIASES, **GRADIENTS}
# What a case is called by in its message, where that isn't the function that it calls first.
NAMES = {
    **dict.fromkeys([*INDEXING, "R[1.0]", "R[-4]", "R[jax.ds(0, 'a')]"], "ref["),
    **dict.fromkeys(WRITING, "got a"), **dict.fromkeys(TAKING, "Use"),
    **{case: "jit(<lambda>)" for case in ALIASES if "jit" in case},
    "R[F > 1]": "ref[", "np.sum(R)": "Use",
    **dict.fromkeys([*GRADIENTS, *(case for case in OURS if "with_refs" in case)], "with_refs"),
    "ref.get(F, 0)": "get", "ref.set(F, 0, 1.0)": "set", "put(R, ..., R)": "reference",
    "jax.vmap(lambda x: put(R, 0, x))(F)": "set",
    "jax.grad(lambda x: (put(R, 0, x), x)[1])(1.0)": "swap",
    "jax.jit(lax.composite(lambda r: r[0], 'first'))(R)": "composite",
    **{case: "vmap" for case in OURS if "vmap" in case},
}
CASES = tuple(MESSAGES)
