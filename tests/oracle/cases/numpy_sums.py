"""Sums of products: einsum, vectorize and products of stacks; convolutions, interpolation, slopes,
covariances, polynomials, histograms of points, pieces."""

SETUP = """\
F = jnp.array([0.5, 1.0, 3.0])
M = jnp.arange(12.0).reshape(3, 4) - 4
I = jnp.array([-1, 0, 6])
C = F * 1j + 1
B = F > 1
T = jnp.arange(24.0).reshape(2, 3, 4)
H = F.astype('float16')
G = F[::-1]

def shapes(xs):
    return [x.shape for x in xs]

def named(f, *shapes):
    return jax.make_jaxpr(f)(*(jnp.ones(s) for s in shapes))

def einsum(text, *shapes, **options):
    return named(lambda *xs: jnp.einsum(text, *xs, **options), *shapes)
"""

JAXPRS = [
    "einsum('ij,jk->ik', (3, 4), (4, 3)), einsum('ij,jk->ki', (3, 4), (4, 3))",
    "einsum('ij->ji', (3, 4)), einsum('ij->', (3, 4)), einsum('ij', (3, 4))",
    "einsum('ii', (3, 3)), einsum('ii->i', (3, 3))",
    "einsum('iij->j', (2, 2, 3)), einsum('iiij->ij', (2, 2, 2, 3)), einsum('iji->ji', (2, 3, 2))",
    "einsum('i,i', 3, 3), einsum('i,j->ij', 3, 4), einsum('i,j->ji', 3, 4)",
    "einsum('...i,...i->...', (3, 4), (3, 4)), einsum('...i,...i->...', (3, 4), 4)",
    "einsum('bij,bjk->bik', (2, 3, 4), (2, 4, 5)), einsum('bij,bjk', (2, 3, 4), (2, 4, 5))",
    "einsum('ij,jk,kl->il', (3, 4), (4, 3), (3, 4))",
    "einsum('ij,jk,kl->il', (3, 4), (4, 3), (3, 4), optimize=False)",
    "einsum('abc,cd,da->b', (4, 3, 5), (5, 2), (2, 4))",
    "einsum('abc,cd,da->b', (4, 3, 5), (5, 2), (2, 4), optimize=False)",
    "einsum('abc,cd,da->b', (4, 3, 5), (5, 2), (2, 4), optimize=True)",
    "einsum('ab,bc,cd,de->ae', (4, 3), (3, 2), (2, 4), (4, 6))",
    "einsum('ijk,ik->ij', (2, 3, 4), (2, 4)), einsum('ij,k->', (3, 4), 3)",
    "einsum('ij,ij->ij', (3, 4), (3, 4)), einsum('ij,ij->ji', (3, 4), (3, 4))",
    "einsum('ij,ij->j', (3, 4), (3, 4)), einsum('ij,ji->ij', (3, 4), (4, 3))",
    "einsum('ij,j->i', (3, 4), 1), einsum('ij,jk->ik', (3, 1), (3, 4))",
    "einsum('iij,j->i', (2, 2, 3), 3), einsum('ii,ij->j', (3, 3), (3, 4))",
    "einsum(',ij->ij', (), (3, 4)), einsum('ijk->ki', (2, 3, 4)), einsum('ijk,k->i', (2, 3, 4), 4)",
    "einsum('ijk,jil->kl', (3, 4, 5), (4, 3, 2)), einsum('ijk,jil->lk', (3, 4, 5), (4, 3, 2))",
    "einsum('jik,ijl->kl', (4, 3, 5), (3, 4, 2)), einsum('zak,azl->lk', (4, 3, 5), (3, 4, 2))",
    "einsum('zak,azl->akz', (4, 3, 5), (3, 4, 2))",
    "einsum('bthd,bshd->bhts', (2, 3, 4, 5), (2, 6, 4, 5))",
    "einsum('bhts,bshd->bthd', (2, 4, 3, 6), (2, 6, 4, 5))",
    "einsum('...ij,...jk->...ik', (2, 1, 4, 3), (5, 3, 2))",
    "jax.make_jaxpr(lambda x, y: jnp.einsum(x, [0, 1], y, [1, 2], [0, 2]))(M, M.T)",
    "einsum('ij,jk->ik', (3, 4), (4, 3), precision='highest', preferred_element_type='float16')",
    "jax.make_jaxpr(lambda x: jnp.einsum('i->', x))(B)",
    "jax.make_jaxpr(lambda x: jnp.einsum('i,i->i', x, x))(B)",
    "jax.make_jaxpr(lambda x: jnp.einsum('i->', x))(I.astype('int8'))",
    "jax.make_jaxpr(lambda x, y: jnp.einsum('i,i->', x, y))(H, F.astype('bfloat16'))",
    "jax.make_jaxpr(lambda x, y: jnp.einsum('i,->i', x, y))(F, 2)",
    "jax.make_jaxpr(jnp.vectorize(lambda x, y: x @ y, signature='(n,m),(m)->(n)'))(T, jnp.ones(4))",
    "jax.make_jaxpr(jnp.vectorize(lambda x, y: x + y))(M, M[0])",
    "jax.make_jaxpr(jnp.vectorize(lambda x, y: x + y))(M, 2.)",
    "jax.make_jaxpr(jnp.vectorize(lambda x, y: x + y, excluded={1}))(M, 2.)",
    "named(jnp.vectorize(lambda x, y: x + y), (1, 3), (3, 1))",
    "named(jnp.vectorize(lambda x, y: x + y), (2, 1, 3), (3, 1))",
    "named(jnp.vecdot, (3, 4), (3, 4)), named(jnp.vecdot, (3, 4), 4)",
    "jax.make_jaxpr(jnp.vecdot)(C, F), jax.make_jaxpr(jnp.vdot)(C, C)",
    "named(lambda x, y: jnp.vecdot(x, y, axis=0), (3, 4), (3, 1))",
    "named(jnp.matvec, (3, 4), 4), named(jnp.vecmat, 3, (3, 4))",
    "named(jnp.matvec, (2, 3, 4), (2, 4)), jax.make_jaxpr(jnp.vecmat)(C, M)",
    "jax.make_jaxpr(jnp.matvec)(M * 1j, M[0])",
    "named(jnp.cross, 3, 3), named(jnp.cross, 2, 2), named(jnp.cross, 2, 3)",
    "named(lambda x, y: jnp.cross(x, y, axis=0), (3, 4), (3, 4))",
    "named(jnp.kron, (3, 4), (3, 4)), named(jnp.kron, (3, 4), 4)",
    "named(jnp.vander, 3), jax.make_jaxpr(lambda x: jnp.vander(x, 2, increasing=True))(F)",
    "named(jnp.cov, (3, 4)), named(jnp.cov, 3), jax.make_jaxpr(jnp.cov)(I)",
    "named(lambda x: jnp.cov(x, x, rowvar=False, bias=True), (3, 4))",
    "named(lambda x: jnp.cov(x, fweights=jnp.arange(4), aweights=jnp.ones(4)), (3, 4))",
    "named(lambda x: jnp.cov(x, aweights=jnp.ones(4)), (3, 4))",
    "named(lambda x: jnp.cov(x, fweights=jnp.ones(4, int), ddof=2), (3, 4))",
    "jax.make_jaxpr(jnp.cov)(C[None]), named(lambda x: jnp.cov(x, dtype='float16'), 3)",
    "named(lambda x: jnp.cov(x, rowvar=False), (1, 3))",
    "named(jnp.corrcoef, 3)",
    "jax.make_jaxpr(lambda x: jnp.interp(x, F, G))(M[0])",
    "jax.make_jaxpr(lambda x: jnp.interp(x, F, G, left=0., right='extrapolate'))(M[0])",
    "jax.make_jaxpr(lambda x: jnp.interp(x, F, C))(M[0])",
    "named(jnp.gradient, 3), named(jnp.gradient, (3, 4))",
    "named(lambda x: jnp.gradient(x, 2., axis=1), (3, 4))",
    "jax.make_jaxpr(lambda x: jnp.gradient(x, 2))(I)",
    "jax.make_jaxpr(lambda x: jnp.gradient(x, x))(F)",
    "named(jnp.polyval, 3, 3), named(lambda x: jnp.polyval(x, x, unroll=3), 3)",
    "named(jnp.polyadd, 3, 2), named(jnp.polysub, 3, 2)",
    "named(jnp.polyder, 3), named(lambda x: jnp.polyder(x, 2), 3)",
    "named(jnp.polyint, 3), named(lambda x: jnp.polyint(x, 2, k=1), 3)",
    "named(jnp.polydiv, 3, 2), named(jnp.polydiv, 2, 3)",
]

VALUES = [
    "jnp.einsum('i j -> j i', M).shape, jnp.einsum('->', 2.), jnp.einsum('i,i->', C, C), "
    "jnp.einsum('ij->i', I[None]), jnp.einsum('i->', H), jnp.einsum('i,', F, 2), "
    "jnp.einsum(F, [0]), jnp.einsum(F, [0], []), jnp.einsum(',', 2, 3), jnp.einsum('...->...', 2.)",
    "jnp.einsum('i->i', F, preferred_element_type='float16'), jnp.einsum('i,->i', I, 2.), "
    "jnp.einsum(',', 2., 3.), jnp.einsum(M, [0, ...], [...]), jnp.einsum('i...->i...', M)",
    "[jnp.einsum('ij,jk,kl->il', M, M.T, M, optimize=o) for o in ('optimal', 'greedy', [(0, 1), "
    "(0, 1)], ((1, 2), (0, 1)))]",
    "jnp.einsum('ij,ij->ij', jnp.ones((3, 1)), M), jnp.einsum('ij,ij->i', jnp.ones((3, 1)), M), "
    "jnp.einsum('ij,ij->', jnp.ones((1, 1)), M), jnp.einsum('i,i->', F[:0], F[:0])",
    "jnp.einsum_path('ij,jk,kl->il', M, M.T, M)[0], jnp.einsum_path('ij,jk', M, M.T)[0], "
    "jnp.einsum_path('ab,bc,cd,de->ae', M, M.T, M, M.T, optimize=False)[0], "
    "jnp.einsum_path('ab->ba', M, optimize=False)[0]",
    "jax.grad(lambda x, y: jnp.einsum('ij,kj,ki->', x, y, x))(jnp.ones((3, 3)), M[:, :3])",
    "jax.vmap(lambda x, y: jnp.einsum('ij,j->i', x, y), (0, None))(T, M[0])",
    "jnp.vectorize(lambda x: x, signature='(n)->(m)')(M).shape, jnp.vectorize(lambda x: (x, "
    "x.sum()), signature='(n)->(n),()')(M), jnp.vectorize(lambda x: {'a': x})(F), "
    "jnp.vectorize(lambda x: [x, x])(F)",
    "jnp.vectorize(lambda x: x[0], signature='(3)->()')(M[:, :3]), jnp.vectorize(lambda x, y: "
    "x + len(y), excluded={1})(F, 'abc'), jnp.vectorize(lambda x, y: x + len(y), "
    "excluded={'y'})(F, y='abc'), jnp.vectorize(lambda x, y: x)(F, None), "
    "jnp.vectorize(lambda x, y, z: x + y + z, excluded={1})(F, 1, M[:, :3])",
    "jnp.vectorize(jnp.dot, signature='(n),(n)->()').__name__, jnp.vectorize(lambda x: x).__doc__",
    "jnp.vecdot(F, I, preferred_element_type='float16'), jnp.vecdot(I, I), jnp.vecdot(C, C), "
    "jnp.matvec(M, M[0]), jnp.vecmat(C, M), jnp.vdot(C, F)",
    "jnp.cross(F, I), jnp.cross(M, M + 1, axisa=0, axisb=0), jnp.cross(M, M + 1, axisa=0, axisb=0, "
    "axisc=0), jnp.cross(M[:, :2], F[:2]), jnp.cross(C, F), jnp.cross(M[:, :3], F), "
    "jnp.cross(I[:2], I), jnp.cross(F[:2], F[:2], axisc=3)",
    "jnp.kron(2, 3), jnp.kron(F, I), jnp.kron(2, F), jnp.kron(M, I[:, None])",
    "jnp.vander(F, 0), jnp.vander(C, 3), jnp.vander(F, 4), jnp.vander(F, 3, True)",
    "[jnp.convolve(jnp.arange(1., 1 + m), jnp.arange(2., 2 + n), k) for m in (1, 2, 5) for n in "
    "(1, 2, 4) for k in ('full', 'same', 'valid')]",
    "[jnp.correlate(jnp.arange(1., 1 + m), jnp.arange(2., 2 + n), k) for m in (1, 2, 5) for n in "
    "(1, 2, 4) for k in ('full', 'same', 'valid')]",
    "jnp.convolve(I, I), jnp.convolve(C, F), jnp.convolve(H, F), jnp.convolve(I.astype('int8'), "
    "I.astype('int8')), jnp.convolve(B, B), jnp.convolve(I, I, preferred_element_type='float32'), "
    "jnp.correlate(F * 1j + 1, C * 2 + F, 'full'), jnp.correlate(C[:2], C, 'full')",
    "jax.grad(lambda x, y: (jnp.convolve(x, y, 'same') ** 2).sum(), (0, 1))(M[0], F)",
    "jax.hessian(lambda x: (jnp.correlate(x, F) ** 2).sum())(M[0])",
    "jax.vmap(jnp.convolve, (0, None))(M, F), jax.vmap(jnp.convolve, (1, 0))(M, M.T)",
    "jnp.interp(1.5, F, G), jnp.interp(I, F, G), jnp.interp(2, I, I), jnp.interp(F, F, C), "
    "jnp.interp(H, H, H), jnp.interp(jnp.nan, F, F), jnp.interp(0.5, F[:1], F[:1]), "
    "jnp.interp(0.5, jnp.array([0., 0., 1.]), F), jnp.interp(M, F, G)",
    "[jnp.interp(jnp.array([-1, 0.7, 5]), F, F**2, left=l, right=r) for l in (None, -1, "
    "'extrapolate') for r in (None, 7., 'extrapolate')]",
    "[jnp.interp(jnp.array([-1, 0.7, 5]), F, F**2, period=jnp.float32(p)) for p in (3, 2.5, -2)]",
    "jax.grad(lambda x, xp, fp: jnp.interp(x, xp, fp).sum(), (0, 1, 2))(jnp.array([0.7, 2.]), F, "
    "G)",
    "jnp.gradient(F), jnp.gradient(I), jnp.gradient(M), jnp.gradient(M, 2., axis=0), "
    "jnp.gradient(F**2, F*2), jnp.gradient(M, axis=(0, 1)), jnp.gradient(M, 2., 3.), "
    "jnp.gradient(C), jnp.gradient(2.), jnp.gradient(H), jnp.gradient(M, axis=(1,)), "
    "jnp.gradient(M**2, F, jnp.arange(4)**2 + 1.), jnp.gradient(B), jnp.gradient(F, 1, axis=()), "
    "jnp.gradient(F[:2]), jnp.gradient(F[:2], F[:2])",
    "jax.grad(lambda x: (jnp.gradient(x)[0] ** 2).sum())(M), jax.vmap(jnp.gradient)(M)",
    "jnp.cov(M), jnp.cov(F), jnp.cov(I), jnp.cov(M, ddof=0), jnp.cov(C, F), jnp.cov(H), "
    "jnp.cov(2.), jnp.cov(F, dtype='float16'), jnp.cov(M, M, ddof=1.5), jnp.cov(F, ddof=3), "
    "jnp.cov(F, ddof=5), jnp.cov(M[:, :1]), jnp.cov(M[:0]), jnp.cov(M[:, :0])",
    "[jnp.cov(M**2, **w) for w in ({'fweights': -jnp.arange(4)}, {'aweights': -jnp.arange(4.)}, "
    "{'aweights': jnp.arange(4)}, {'fweights': jnp.arange(4), 'ddof': 0}, {'fweights': "
    "jnp.arange(4), 'aweights': jnp.arange(4.) + 1})]",
    "jnp.corrcoef(F), jnp.corrcoef(F, F**2), jnp.corrcoef(C + F**2, F), "
    "jnp.corrcoef(M**2, rowvar=False), jnp.corrcoef(2.)",
    "jax.grad(lambda x: jnp.corrcoef(x, F)[0, 1])(F**2), jax.vmap(jnp.cov)(T)",
    "jnp.polyval(F, 2.), jnp.polyval(I, I), jnp.polyval(F[:0], F), jnp.polyval(F, M), "
    "jnp.polyval(F[:1], I), jnp.polyval(C, F), jnp.polyval(M, 2.)",
    "jnp.polyadd(F, I), jnp.polyadd(F[1:], F), jnp.polysub(F[1:], F), jnp.polysub(I, I[1:]), "
    "jnp.polyadd(M, M), jnp.polymul(F, F), jnp.polymul(I, I), jnp.polymul(jnp.array([0, 0, 1]), I, "
    "trim_leading_zeros=True), jnp.polymul(F[:0], F)",
    "jnp.polyder(F), jnp.polyder(I), jnp.polyder(F, 0), jnp.polyder(F, 3), jnp.polyder(F, 5), "
    "jnp.polyder(H), jnp.polyder(C)",
    "jnp.polyint(F), jnp.polyint(I), jnp.polyint(F, 0), jnp.polyint(F, 2), jnp.polyint(F, 2, "
    "k=jnp.array([1, 2])), jnp.polyint(F, 1, k=3)",
    "jnp.polydiv(F, F[1:]), jnp.polydiv(jnp.array([1., 2, 3, 4]), jnp.array([1., 1])), "
    "jnp.polydiv(I, I + 3), jnp.polydiv(jnp.array([1., 2, 3, 4]), jnp.array([1., 2]), "
    "trim_leading_zeros=True), jnp.polydiv(F[:1], F + 1)",
    "jax.grad(lambda p: jnp.polyval(p, F).sum())(F), jax.grad(lambda p: jnp.polyint(p, 2).sum())(F)"
    ", jax.vmap(jnp.polyder)(M)",
    "jnp.histogram2d(F, F, 2), jnp.histogram2d(F, F, [2, 3]), jnp.histogram2d(F, F, [F, F]), "
    "jnp.histogram2d(F, F, F), jnp.histogram2d(F, F, 2, range=[[0, 1], [0, 2]]), "
    "jnp.histogram2d(F, F, 2, weights=F), jnp.histogram2d(F, F, 2, density=True)",
    "jnp.histogramdd(M, 2), jnp.histogramdd(M, [2, 3, 1, 2], density=True), jnp.histogramdd(M, 2, "
    "weights=I), jnp.histogramdd(M, 2, range=[None, None, [0, 1], None])",
    "jnp.piecewise(F, [F < 1, F >= 1], [1., lambda x: x * 2]), jnp.piecewise(F, [F < 1], [1, 2]), "
    "jnp.piecewise(I, [I < 0], [2.7]), jnp.piecewise(F, [F < 1, F < 2], [1, 2, 3]), "
    "jnp.piecewise(2., [True], [3]), jnp.piecewise(F, [F < 1], [lambda x, a: a, lambda x, a: x], "
    "5.), jnp.piecewise(M, [M < 0, M > 2], [-1, lambda x: x.sum()])",
    "jax.grad(lambda x: jnp.piecewise(x, [x < 1], [jnp.sin, jnp.log]).sum())(F)",
]

REFUSED = [
    "jnp.einsum('ij,jk', M, M)",
    "jnp.einsum('ij', F)",
    "jnp.einsum('ij->ik', M)",
    "jnp.einsum('ij,jk->ik', M)",
    "jnp.einsum('i->', [1, 2])",
    "jnp.einsum('ii->i', M)",
    "jnp.einsum('ij->ij', M, out=M)",
    "jnp.einsum('i->ii', F)",
    "jnp.einsum('i.j', M)",
    "jnp.einsum(3, M)",
    "jnp.einsum('ij,jk,kl->il', M, M.T, M, optimize=[(0, 1, 2)])",
    "jnp.einsum('ij,jk->ik', M, M.T, optimize=[(0, 5)])",
    "jnp.einsum('ij,jk->ik', M, M.T, optimize=3)",
    "jnp.einsum('ij,jk->ik', M, M.T, precision='zz')",
    "jnp.einsum('ij,jk->ik', M, M.T, preferred_element_type='zz')",
    "jnp.einsum()",
    "jnp.einsum_path('ij->ik', M)",
    "jnp.vectorize(lambda x, y: x + y)(M, I)",
    "jnp.vectorize(lambda x: x, signature='(n)->(n),()')(M)",
    "jnp.vectorize(lambda x: x, signature='(n)->()')(M)",
    "jnp.vectorize(lambda x: x, signature='(n->()')(M)",
    "jnp.vectorize(lambda x: x, signature='(n),(n)->()')(M)",
    "jnp.vectorize(lambda x, y: x, signature='(n),(n)->(n)')(M, F)",
    "jnp.vectorize(lambda x: x, excluded={-1})(F)",
    "jnp.vectorize(lambda x: x, excluded={1.5})(F)",
    "jnp.vectorize(lambda x: x, excluded='x')(F)",
    "jnp.vectorize(lambda x: x, signature='(n)->(n)')(2.)",
    "jnp.vectorize(lambda x: x, signature=3)(2.)",
    "jnp.vectorize(3)(2.)",
    "jnp.vectorize(lambda x: jnp.zeros(2), signature='(n)->(n)')(M)",
    "jnp.vectorize(lambda x: 'a')(F)",
    "jnp.vectorize(lambda x, y: x + y)(F, y=I)",
    "jnp.vecdot(M, F)",
    "jnp.vecdot(2., F)",
    "jnp.matvec(M, F)",
    "jnp.matvec(F, F)",
    "jnp.vecmat(2., M)",
    "jnp.cross(M, M)",
    "jnp.cross(F, 2.)",
    "jnp.kron(B, B)",
    "jnp.vander(M)",
    "jnp.vander(F, -1)",
    "jnp.vander(F, 1.5)",
    "jnp.convolve(1., F)",
    "jnp.convolve(M, F)",
    "jnp.convolve(F[:0], F)",
    "jnp.convolve(F, F, 'x')",
    "jnp.convolve([1], F)",
    "jnp.convolve(F, F, preferred_element_type='float16')",
    "jnp.convolve(F, F, precision='zz')",
    "jnp.correlate(2., F)",
    "jnp.interp(1., F, F[:2])",
    "jnp.interp(1., F[:0], F[:0])",
    "jnp.interp(1., M, M)",
    "jnp.interp(C, F, F)",
    "jnp.interp(1., F, F, left='x')",
    "jnp.interp(1., F, F, period=F)",
    "jnp.interp([1.], F, F)",
    "jnp.gradient(F[:1])",
    "jnp.gradient(F, edge_order=1)",
    "jnp.gradient(M, 1, 2, 3)",
    "jnp.gradient(F, M)",
    "jnp.gradient(F, F[:2])",
    "jnp.gradient(M, axis=5)",
    "jnp.cov(T)",
    "jnp.cov(M, T)",
    "jnp.cov(M, F)",
    "jnp.cov(M, fweights=F)",
    "jnp.cov(M, fweights=jnp.arange(3))",
    "jnp.cov(M, fweights=M)",
    "jnp.cov(M, fweights=jnp.ones(4))",
    "jnp.cov(M, aweights=jnp.ones(2))",
    "jnp.cov([1, 2])",
    "jnp.corrcoef(T)",
    "jnp.polyval(1., 2.)",
    "jnp.polyval(M, F)",
    "jnp.polyadd(2, F)",
    "jnp.polyadd(M, F)",
    "jnp.polymul(2., F)",
    "jax.jit(lambda x: jnp.polymul(x, x, trim_leading_zeros=True))(F)",
    "jnp.polyder(F, -1)",
    "jnp.polyder(F, 1.5)",
    "jnp.polyder(2.)",
    "jnp.polyder(M)",
    "jnp.polyint(F, -1)",
    "jnp.polyint(F, 2, k=F)",
    "jnp.polyint(F, 2, k=[1, 2])",
    "jnp.polydiv(F, F[:0])",
    "jnp.polydiv(M, F)",
    "jnp.histogram2d(M, M)",
    "jnp.histogramdd(F)",
    "jnp.histogramdd(M, [2, 3])",
    "jnp.histogramdd(M, 2, range=[[0, 1]])",
    "jnp.histogramdd(M, 2, weights=M)",
    "jnp.piecewise(F, [F < 1], [1, 2, 3])",
    "jnp.piecewise(F, [], [1])",
    "jnp.piecewise(F, [F < 1], {})",
]

CASES = [*JAXPRS, *VALUES, *REFUSED]
