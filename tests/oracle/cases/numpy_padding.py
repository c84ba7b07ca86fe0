"""pad: every mode, its options, and what is refused."""

SETUP = """\
F = jnp.array([0.5, 1.0, 3.0])
M = jnp.arange(12.0).reshape(3, 4) - 4
I = jnp.array([-1, 0, 6])
C = F * 1j + 1
B = F > 1
T = jnp.arange(24.0).reshape(2, 3, 4)

def named(x, *args, **kwargs):
    return jax.make_jaxpr(lambda x: jnp.pad(x, *args, **kwargs))(x)

def ends(row, width, axis, kwargs):
    return row.at[:width[0]].set(kwargs.get('x', 9.)).at[-width[1]:].set(8.)
"""

JAXPRS = [
    "named(F, 1), named(M, 1, constant_values=5), named(M, 0), named(2., 1), named(M[:0], 1)",
    "named(F, (0, 3), 'wrap'), named(F, (7, 2), 'wrap'), named(M, ((1, 0), (0, 2)), 'wrap')",
    "named(M, 1, 'edge'), named(M, 0, 'edge'), named(M, 1, 'empty')",
    "named(F, 2, 'reflect'), named(F, (0, 3), 'reflect'), named(M, (1, 0), 'reflect')",
    "named(F, 5, 'symmetric'), named(F, 2, 'symmetric', reflect_type='odd')",
    "named(F, 2, 'reflect', reflect_type='odd')",
    "named(F, 2, 'mean'), named(I, 1, 'mean'), named(M, 1, 'mean', stat_length=2)",
    "named(F, 2, 'maximum', stat_length=2), named(I, 2, 'minimum')",
    "named(M, 1, 'mean', stat_length=((1, 2), (3, 1)))",
    "named(F, 1, ends)",
]

VALUES = [
    "jnp.pad(F, 2), jnp.pad(F, (1, 2), constant_values=(3, 4)), jnp.pad(M, ((1, 2), (0, 1)), "
    "constant_values=((1, 2), (3, 4))), jnp.pad(M, 1, constant_values=F[1]), "
    "jnp.pad(M, 1, constant_values=jnp.array([1, 2])), jnp.pad(I, 1, constant_values=2.7), "
    "jnp.pad(B, 1), jnp.pad(C, 1, constant_values=1j)",
    "[jnp.pad(M, w).shape for w in (1, (1,), (1, 2), ((1, 2),), [[1, 2], [3, 4]], np.array([1, 2]),"
    " (jnp.array(1), np.int64(2)), jnp.array([1, 2]))]",
    "[jnp.pad(x, w, m) for m in ('edge', 'wrap', 'reflect', 'symmetric') for x in (F, I, F[:1], B) "
    "for w in (1, (0, 4), (7, 2))]",
    "[jnp.pad(x, w, m, reflect_type='odd') for m in ('reflect', 'symmetric') for x in (F, I, F[:1],"
    " I.astype('uint8')) for w in (1, (0, 4), (7, 2))]",
    "[jnp.pad(x, w, m) for m in ('maximum', 'minimum', 'mean', 'median', 'linear_ramp') for x in "
    "(F, I, M, F.astype('float16'), jnp.array([1, 2, 4, 5])) for w in (1, (0, 2))]",
    "[jnp.pad(M, ((0, 1), (2, 0)), m, stat_length=s) for m in ('maximum', 'minimum', 'mean') for s "
    "in (1, 9, (2, 1), ((1, 2), (2, 3)))]",
    "jnp.pad(B, 1, 'mean'), jnp.pad(B, 1, 'maximum'), jnp.pad(C, 1, 'mean'), jnp.pad(C, 1, 'edge')",
    "jnp.pad(M, 2, 'linear_ramp', end_values=((1, 2), (3, 4))), jnp.pad(I, 2, 'linear_ramp', "
    "end_values=9), jnp.pad(F.astype('int8'), 1, 'linear_ramp', end_values=(3, 4))",
    "jnp.pad(T[:, :0], 1).shape, jnp.pad(F[:0], 0, 'edge'), jnp.pad(F[:0], 0, 'wrap'), "
    "jnp.pad(F[:0], 1, 'mean'), jnp.pad(F[:0], 1, 'empty'), jnp.pad(F, 1, 'empty')",
    "jnp.pad(M, 1, ends), jnp.pad(M, 1, ends, x=5)",
    "[jax.grad(lambda x: (jnp.pad(x, 2, m) ** 2).sum())(F) for m in ('constant', 'edge', 'wrap', "
    "'reflect', 'symmetric', 'mean', 'maximum', 'linear_ramp')]",
    "[jax.vmap(lambda x: jnp.pad(x, 2, m), 1)(M) for m in ('constant', 'edge', 'reflect', 'mean')]",
    "jax.hessian(lambda x: (jnp.pad(x, 2, 'reflect') ** 3).sum())(F)",
]

REFUSED = [
    "jnp.pad(2., ())",
    "jnp.pad(F, -1)",
    "jnp.pad(M, ((0, 1), (2, -1)))",
    "jnp.pad(F, 1.5)",
    "jnp.pad(F, True)",
    "jnp.pad(F, 'a')",
    "jnp.pad(F, None)",
    "jnp.pad(F, np.array([1., 2.]))",
    "jnp.pad(M, {0: 1})",
    "jnp.pad(F, (1, 2, 3))",
    "jnp.pad(M, ((1,), (2,)))",
    "jnp.pad(M, ((1, 2), (3, 4), (5, 6)))",
    "jnp.pad(F, 1, 'x')",
    "jnp.pad(F, 1, 3)",
    "jnp.pad(F, 1, 'edge', constant_values=1)",
    "jnp.pad(F, 1, end_values=1)",
    "jnp.pad(F[:0], 1, 'edge')",
    "jnp.pad(F[:0], 1, 'reflect')",
    "jnp.pad(F[:0], 1, 'wrap')",
    "jnp.pad(F[:0], 1, 'maximum')",
    "jnp.pad(F, 2, 'mean', stat_length=0)",
    "jnp.pad(F, 2, 'reflect', reflect_type='x')",
    "jnp.pad([1, 2], 1)",
    "jnp.pad(M, 1, lambda row, width, axis, kwargs: None)",
    "jax.jit(jnp.pad)(F, 1)",
]

CASES = [*JAXPRS, *VALUES, *REFUSED]
