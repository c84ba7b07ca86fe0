"""A mistake for each way to give gather, scatter or a dynamic slice what does not fit.

Laid out as `messages.py` is, and read by the same test.
"""

SETUP = """\
F = jnp.arange(5.0)
M = jnp.arange(12.0).reshape(3, 4)
I = jnp.array([[1], [7], [-1]])
K = random.key(0)
GD, SD = lax.GatherDimensionNumbers, lax.ScatterDimensionNumbers
ONE, PUT = GD((), (0,), (0,)), SD((), (0,), (0,))

def read(numbers=ONE, sizes=(1,), x=F, i=I, **how):
    return lax.gather(x, i, numbers, sizes, **how)

def put(numbers=PUT, updates=F[:3], x=F, i=I, f=lax.scatter, **how):
    return f(x, i, updates, numbers, **how)

def applied(func, **how):
    return lax.scatter_apply(F, I, func, PUT, update_shape=(3,), **how)

def start(i, sizes=(2,), x=F, **how):
    return lax.dynamic_slice(x, i, sizes, **how)
"""

STARTS = {
    "start((1.5,))": "takes scalars of one integer dtype as starts, and got\n~float32[]. Convert",
    "start((True,))": "takes scalars of one integer dtype as starts, and got\nbool[]. Convert",
    "start((jnp.array([1]),))": "as starts, and got\nint32[1]. Convert",
    "start((1, jnp.int8(1)), (1, 1), M)": "as starts, and got\nint32[], int8[]. Convert",
    "start(1)": "takes one start for each axis, and got 1.\nGive a tuple of integers.",
    "start(jnp.int32(1))": "takes one start for each axis, and got an array of type int32[].",
    "start((1, 2))": "of float32[5] got 2 starts, and 1 allow_negative_indices.\nGive",
    "start((), x=M)": "of float32[3,4] got 0 starts, and 2 allow_negative_indices.\nGive",
    "start((-1,), allow_negative_indices=False)": "got the start -1. Count from 0, or",
    "start((1,), (6,))": "finds no window of the sizes (6,) in float32[5].\nGive sizes that",
    "start((1, 1), (1,), M)": "of float32[3,4] got slice_sizes (1,). Give one for each axis.",
    "start((1,), (-1,))": "lax.dynamic_slice takes a shape without negative sizes, and got (-1,).",
    "start((1,), (1.5,))": "lax.dynamic_slice takes a shape of integers, and got (1.5,). Give a",
    "jax.jit(lambda n: start((1,), (n,)))(2)":
        "lax.dynamic_slice needs its shape to be known while tracing, and got",
    "lax.dynamic_update_slice(F, 1.0, (0,))":
        "of float32[5] got ~float32[].\nGive an update with as many axes, of float32.",
    "lax.dynamic_update_slice(F, jnp.arange(2), (0,))":
        "of float32[5] got int32[2].\nGive an update with as many axes, of float32.",
    "lax.dynamic_update_slice(F, jnp.ones(6), (0,))":
        "finds no window of the sizes (6,) in float32[5].\nGive sizes that are not above",
    "lax.dynamic_update_slice(F, F[:2], (0, 0))": "got 2 starts, and 1 allow_negative_indices.",
    "lax.dynamic_update_slice(F, F[:2], (0.5,))": "as starts, and got\n~float32[]. Convert them.",
    "lax.dynamic_slice_in_dim(M, 0, 1, axis=2)": "found no axis 2 among 2. Give one from -2 to 1.",
    "lax.dynamic_slice_in_dim(M, 0, 1.5)": "takes an integer as slice_size, and got 1.5. Give",
    "lax.dynamic_index_in_dim(M, 0, 2)": "found no axis 2 among 2. Give one from -2 to 1.",
    "lax.dynamic_update_slice_in_dim(M, M, 0, 2)": "found no axis 2 among 2. Give one from -2",
    "lax.dynamic_update_index_in_dim(M, M[0], 0, 2)": "found no axis 2 among 2. Give one from -2",
    "lax.dynamic_update_index_in_dim(M, M, 0, 2)": "found no axis 2 among 2. Give one from -2",
    "lax.dynamic_update_index_in_dim(M, 1.0, 0, 0)":
        "of float32[3,4] got ~float32[].\nGive an update with as many axes, or with one less.",
    "lax.index_take(M, (I[:, 0],), (5,))": "found no axis 5 among 2. Give one from -2 to 1.",
    "lax.index_take(M, (), ())": "got 0 vectors of indices for the axes (). Give one for each.",
    "lax.index_take(M, (I[:, 0],), (0.5,))": "takes an integer as axes, and got 0.5. Give an int.",
}
GATHERS = {
    "read(mode='bad')": "knows no mode 'bad'.\nGive 'clip', 'fill', 'drop' or 'promise_in_bounds'.",
    "read(mode='one_hot')": "lax.gather has no mode 'one_hot'. Give 'clip', 'fill' or another.",
    "put(mode=0)": "GatherScatterMode.from_any knows no mode 0.\nGive 'clip', 'fill', 'drop' or",
    "read(numbers=((), (0,), (0,)))": "takes dimension_numbers, and got ((), (0,), (0,)).\nMake",
    "put(numbers=None)": "takes dimension_numbers, and got None.\nMake them with",
    "read(GD(1, (0,), (0,)))": "lax.gather takes integers as offset_dims, and got 1. Give a tuple",
    "read(GD((), (0.5,), (0,)))": "takes an integer as collapsed_slice_dims, and got 0.5. Give an",
    "read(i=I * 1.0)": "lax.gather takes integers as indices, and got ~float32[3,1]. Convert them.",
    "read(i=I > 0)": "lax.gather takes integers as indices, and got bool[3,1]. Convert them.",
    "put(i=I * 1.0)": "lax.scatter takes integers as indices, and got ~float32[3,1]. Convert them.",
    "read(i=jnp.int32(1))": "reads an index along the last axis of its indices, and got int32[].",
    "read(GD((0, 0), (), (0,)))": "got offset_dims=(0, 0). Name each axis once, in order.",
    "read(GD((1, 0), (), (0,)), x=M)": "got offset_dims=(1, 0). Name each axis once, in order.",
    "read(GD((2,), (), (0,)))": "lax.gather got offset_dims=(2,) among 2 axes. Count them from 0.",
    "read(GD((), (-1,), (0,)))": "got collapsed_slice_dims=(-1,) among 1 axes. Count them from 0.",
    "read(GD((), (0,), (1,)))": "got start_index_map=(1,) among 1 axes. Count them from 0.",
    "read(GD((), (0,), (0, 0)))": "got start_index_map=(0, 0). Name each axis once.",
    "read(GD((), (0,), ()))": "got start_index_map=() for indices of shape (3, 1).\nGive one axis",
    "read(GD((), (0,), (0,), (), (1,)))": "got start_indices_batching_dims=(1,) among 1 axes.",
    "read(GD((0, 1), (), (0,)))": "got\noffset_dims=(0, 1), collapsed_slice_dims=(), operand_b",
    "read(GD((), (0,), (), (0,), (0,)), i=jnp.ones((5, 0), int))":
        "Put each axis of the operand into one of the last two",
    "read(GD((), (), (0,), (0,), (0,)), i=jnp.ones((5, 1), int))":
        "got operand_batching_dims=(0,) and start_index_map=(0,).\nName an axis in one of them",
    "read(GD((), (0,), (0,), (1,), (0,)), (1, 1), M)": "pairs the axes (1,) of float32[3,4] with",
    "read(GD((), (0,), (0,), (1,), ()), (1, 1), M)": "with () of int32[3,1].\nGive as many of the",
    "read(sizes=(2,))": "lax.gather of float32[5] got windows of the sizes (2,).\nGive a size for",
    "read(sizes=(1, 1))": "lax.gather of float32[5] got windows of the sizes (1, 1).\nGive a size",
    "read(GD((1,), (), (0,)), (6,))": "got windows of the sizes (6,).\nGive a size for each axis,",
    "read(sizes=(-1,))": "lax.gather takes a shape without negative sizes, and got (-1,). Give",
    "read(mode='fill', fill_value=[1.0])":
        "fills float32 with a number that is known, and got\n[1.0]. Give one as fill_value.",
    "jax.jit(lambda v: read(mode='fill', fill_value=v))(1.0)": "and got\na traced ~float32[]. Give",
}
SCATTERS = {
    "put(updates=F[:2])": "of float32[5] got updates float32[2].\nGive them the shape (3,), which",
    "put(updates=1.0)": "of float32[5] got updates ~float32[].\nGive them the shape (3,), which",
    "put(updates=jnp.arange(3))": "of float32[5] got updates int32[3].\nGive them the shape (3,)",
    "put(SD((1,), (), (0,)), jnp.ones((3, 6)))": "got windows of the sizes (6,).\nGive a size for",
    "put(SD((1,), (0,), (0,)), M[:, :1])": "Put each axis of the operand into one of the",
    "put(SD((0, 0), (), (0,)), M)": "got update_window_dims=(0, 0). Name each axis once, in order.",
    "put(SD((), (1,), (0,)))": "got inserted_window_dims=(1,) among 1 axes. Count them from 0.",
    "put(SD((), (0,), (2,)))": "got scatter_dims_to_operand_dims=(2,) among 1 axes. Count them",
    "put(SD((), (0,), ()))": "got scatter_dims_to_operand_dims=() for indices of shape (3, 1).",
    "put(SD((), (0,), (0,), (1,), (0,)), x=M)": "pairs the axes (1,) of float32[3,4] with (0,)",
    "put(f=lax.scatter_add, updates=F)": "lax.scatter_add of float32[5] got updates float32[5].",
    "put(f=lax.scatter_max, numbers=())": "lax.scatter_max takes dimension_numbers, and got ().",
    "put(f=lax.scatter_add, x=F > 1, updates=F[:3] > 1)": "add takes integers, floats, complex",
    "jax.grad(lambda y: put(updates=y, f=lax.scatter_mul).sum())(F[:3])":
        "lax.scatter_mul has a derivative by its updates only where no two meet.\nGive",
    "jax.grad(lambda x: lax.scatter_apply(x, I, jnp.sin, PUT, update_shape=(3,)).sum())(F)":
        "lax.scatter_apply has no derivative.\nUse lax.scatter of values that you gather.",
    "applied(3)": "lax.scatter_apply takes a function of one element, and got 3. Give one.",
    "applied(lambda x: (x, x))": "takes a function that returns an element, and got one",
    "applied(lambda x: x > 0)": "from an element, float32[], to another, and got\none that",
    "applied(lambda x: x + jnp.zeros(2))": "to another, and got\none that returns float32[2].",
    "applied(lambda x: x * jnp.sum(jnp.sin(F)))": "an element and of known numbers,\nand got one",
    "jax.jit(lambda c: applied(lambda x: x * c))(2.0)": "an element and of known numbers,\nand got",
    "lax.scatter_apply(F, I, jnp.sin, PUT)": "of float32[5] got updates float32[].\nGive them the",
}

MESSAGES = {**STARTS, **GATHERS, **SCATTERS}
# What a case is called by in its message, where that isn't the function that it calls first.
_HELPERS = {
    "start": "lax.dynamic_slice", "read": "lax.gather", "put": "lax.scatter",
    "applied": "lax.scatter_apply",
}  # fmt: skip
NAMES = {
    case: name for case in MESSAGES for helper, name in _HELPERS.items()
    if case.startswith(f"{helper}(")
} | {
    "read(mode='bad')": "GatherScatterMode.from_any",
    "put(mode=0)": "GatherScatterMode.from_any",
    "put(f=lax.scatter_add, x=F > 1, updates=F[:3] > 1)": "add",
    "jax.jit(lambda n: start((1,), (n,)))(2)": "lax.dynamic_slice",
    "jax.jit(lambda v: read(mode='fill', fill_value=v))(1.0)": "lax.gather",
    "jax.grad(lambda x: lax.scatter_apply(x, I, jnp.sin, PUT, update_shape=(3,)).sum())(F)":
        "lax.scatter_apply",
    "jax.grad(lambda y: put(updates=y, f=lax.scatter_mul).sum())(F[:3])": "lax.scatter_mul",
    "jax.jit(lambda c: applied(lambda x: x * c))(2.0)": "lax.scatter_apply",
    "lax.scatter_apply(F, I, jnp.sin, PUT)": "lax.scatter",
}  # fmt: skip
CASES = tuple(MESSAGES)
