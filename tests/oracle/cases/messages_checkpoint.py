"""Mistakes in calls of checkpoint, of its policies, of linear_transpose; and what is said of them.

`tests/test_messages.py` reads the messages; here it is the classes that count.
"""

IN_BOTH = """cp.save_and_offload_only_these_names(
    names_which_can_be_saved='ab', names_which_can_be_offloaded='bc', offload_src='device',
    offload_dst='pinned_host')"""

SETUP = """\
import importlib

ad = importlib.import_module(jax.__name__ + ".ad_checkpoint")
cp = jax.checkpoint_policies
F = jnp.arange(3.0)
K = random.key(0)

def sinsin(x):
    return jnp.sin(jnp.sin(x))

def grad_with(policy):
    return jax.grad(jax.checkpoint(sinsin, policy=policy))(1.0)

def transposed(f, x=F):
    return jax.linear_transpose(f, x)
"""

CHECKPOINT = {
    "jax.checkpoint(sinsin, concrete=True)": "has no `concrete` any more. Use static_argnums",
    "jax.checkpoint(sinsin, concrete=False)": "has no `concrete` any more. Use static_argnums",
    "jax.remat(sinsin, concrete=True)": "has no `concrete` any more. Use static_argnums",
    "jax.checkpoint(3)(2.0)": "a function as its first argument, and got 3. Give",
    "jax.checkpoint(F)(2.0)": "and got an array of float32[3]. Give",
    "jax.checkpoint(sinsin, prevent_cse=3)": "a bool or a sequence, and got 3. Give True, or",
    "jax.checkpoint(sinsin, prevent_cse=(True, False))(1.0)": "prevent_cse does not fit the tree",
    "jax.checkpoint(sinsin, static_argnums=1)(1.0)": "static arguments [1], and the call has 1.",
    "jax.checkpoint(sinsin, static_argnums=(0, -2))(1.0)": "static arguments [-2], and the call",
    "jax.checkpoint(sinsin, static_argnums='x')(1.0)": "takes ints as argnums, and got ('x',).",
    "jax.checkpoint(sinsin)('text')": "checkpoint(sinsin), argument x: 'text' of type str is not",
    "jax.checkpoint(lambda x: 'text')(1.0)": "returned 'text' of type str where an array or a",
    "jax.checkpoint(sinsin)(jax.ShapeDtypeStruct((), 'float32'))": "has no value. Give an array",
    "jax.checkpoint(lambda x: x if x > 0 else -x)(1.0)": "In place of `if`, choose with",
    "jax.checkpoint(lambda x: float(x))(1.0)": "float() would lose the trace; try x.astype(float).",
    "jax.grad(jax.checkpoint(lambda x: x if x > 0 else -x))(1.0)": "In place of `if`, choose with",
    "grad_with(3)": "takes as its policy a function, and got 3. Give one of",
    "grad_with('dots')": "takes as its policy a function, and got 'dots'. Give one of",
    "grad_with(lambda prim, *_, **__: 3)": "asked its policy of sin, and got 3. Return True",
    "grad_with(lambda prim, *_, **__: None)": "asked its policy of sin, and got None. Return True",
    "grad_with(cp.save_from_both_policies(cp.dots_saveable, lambda *_, **__: 3))":
        "takes policies that answer True or False; of sin they said",
    "grad_with(cp.save_from_both_policies(cp.dots_saveable, lambda *_, **__: ad.Saveable))":
        "[False, Saveable]. Write one policy instead.",
    IN_BOTH: "got ['b'] as names to save and to offload.",
    "grad_with(cp.save_from_both_policies(cp.offload_dot_with_no_batch_dims('device', 'host'), "
    "cp.dots_saveable))": "[Recompute, False]. Write one policy instead.",
    "ad.checkpoint_name('text', 'y')": "'text' of type str is not an array or a number.",
    "ad.print_saved_residuals(3, 1.0)": "takes a function as its first argument, and got 3.",
    "ad.print_saved_residuals(sinsin, 'text')": "argument x: 'text' of type str is not an array",
    "lax.optimization_barrier('text')": "takes arrays and numbers, and got 'text'. L",
    "lax.optimization_barrier({'a': [object()]})": "got an object of class object.",
}
TRANSPOSES = {
    "jax.linear_transpose(3, F)": "takes a function as its first argument, and got 3. Give",
    "jax.linear_transpose(lambda x: x, 'text')": "argument x: 'text' of type str is not an array",
    "jax.linear_transpose(lambda x: x, F, reduce_axes=('i',))": "takes no reduce_axes, and got",
    "transposed(lambda x: x.astype(int))": "and got one from ['float32'] to ['int32'].",
    "transposed(lambda x: x, jnp.arange(3) > 1)": "and got one from ['bool'] to ['bool'].",
    "transposed(lambda x: x, K)": "and got one from ['key<fry>'] to ['key<fry>'].",
    "transposed(lambda x: x)(1.0)": "takes a cotangent like the result",
    "transposed(lambda x: x)(jnp.arange(3))": "[ShapedArray(int32[3])]",
    "transposed(lambda x: (x, x))(F)": "PyTreeDef((*, *))",
    "transposed(lambda x: x)([F])": "PyTreeDef([*])",
}
MESSAGES = {**CHECKPOINT, **TRANSPOSES}
# What a case is called by in its message, where that isn't the function that it calls first.
NAMES = {
    IN_BOTH: "save_and_offload_only_these_names",
    "jax.remat(sinsin, concrete=True)": "checkpoint",
    "jax.checkpoint(lambda x: 'text')(1.0)": "<lambda>",
    "jax.checkpoint(lambda x: float(x))(1.0)": "float()",
    "jax.grad(jax.checkpoint(lambda x: x if x > 0 else -x))(1.0)": "checkpoint",
    "ad.checkpoint_name('text', 'y')": "'text'",
    "ad.print_saved_residuals(3, 1.0)": "saved_residuals",
    "ad.print_saved_residuals(sinsin, 'text')": "saved_residuals",
    **{case: "save_from_both" for case in CHECKPOINT if "from_both" in case},
    **{case: "checkpoint" for case in CHECKPOINT if "grad_with(" in case and "cp." not in case},
    **{case: "linear_transpose" for case in TRANSPOSES},
}
CASES = tuple(MESSAGES)
