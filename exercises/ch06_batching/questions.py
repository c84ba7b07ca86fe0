"""The questions of chapter 06, drawn for each student."""


def draw_06_3(rng):
    kinds = (shapes, seen, work, collectives, refusals, axes)
    for k in sorted(rng.permutation(len(kinds))[:5]):
        yield kinds[k](rng)


def some(rng, pool, count):
    return [pool[k] for k in rng.permutation(len(pool))[:count]]


def sizes(rng, count):
    return tuple(int(n) for n in rng.permutation(range(2, 8))[:count])


def shapes(rng):
    shape, d, e, o = sizes(rng, 4), *(int(n) for n in rng.integers(0, 3, 3))
    inner = f"jax.vmap(lambda v: jnp.sum(v, {rng.integers(0, 2)}), in_axes={e}, out_axes={o % 2})"
    call = f"jax.vmap({inner}, in_axes={d}, out_axes={o})(np.zeros({shape}))"
    return f"Which shape has `{call}`? A list.", f"list({call}.shape)"


def seen(rng):
    shape, [body] = sizes(rng, 3), some(rng, ["x.T", "jnp.sum(x, 0)", "jnp.sum(x, 1)"], 1)
    d, o = int(rng.integers(0, 3)), int(rng.integers(0, 2))
    call = f"jax.vmap(lambda x: {body}, in_axes={d}, out_axes={o})(np.zeros({shape}))"
    text = (
        f"In `{call}`, which shape has `{body}` for the function, and which has the call's result?"
    )
    noting = f"jax.vmap(lambda x: seen.append(({body}).shape) or {body}, {d}, {o})"
    case = f"seen = []\nout = {noting}(np.zeros({shape}))\n[*seen, out.shape]"
    return f"{text} A list of two lists.", case


def work(rng):
    a, n = (int(k) for k in rng.integers(4, 40, 2))
    [body] = some(rng, [
        f"lax.mul(lax.sin(x), lax.exp({a}.0))", f"lax.mul(lax.exp(lax.sin({a}.0)), x)",
        f"lax.add(lax.sin(lax.cos({a}.0)), lax.exp(x))", f"lax.sub(lax.cos(x), lax.log({a}.0))",
        "lax.add(lax.mul(lax.sin(x), lax.sin(x)), x)", f"lax.mul(lax.log({a}.0), lax.exp({a}.0))",
    ], 1)  # fmt: skip
    case = (
        f"f, xs = lambda x: {body}, np.ones({n}, np.float32)\n"
        "[len(operations(lambda: [f(x) for x in xs])), len(operations(lambda: jax.vmap(f)(xs)))]"
    )
    text = (
        f"With `f = lambda x: {body}`, how many operations reach the ground floor when `f` is "
        f"called for each of {n} numbers in a loop, and how many in `jax.vmap(f)` of them? A list."
    )
    return text, case


def collectives(rng):
    (n, m), k = (int(size) for size in rng.integers(2, 4, 2)), int(rng.integers(2, 9))
    xs, ys = ([int(v) for v in rng.integers(1, 9, size)] for size in (n, m))
    [body] = some(rng, [
        f"x + lax.psum({k}, 'i') * y", "lax.psum(x, 'i') - y", "x * lax.psum(1, 'j') + y",
        f"lax.psum(x * y, 'j') + {k} * y", f"lax.pmax(x, 'i') + y + lax.psum({k}, 'j')",
        f"x + y + lax.psum({k}, ('i', 'j'))", "lax.psum(x, 'j') + lax.psum(y, 'i')",
        "lax.psum(lax.psum(x * y, 'j'), 'i') - x", f"lax.psum(x + {k}, 'j') - y",
    ], 1)  # fmt: skip
    inner = f"jax.vmap(lambda y: {body}, axis_name='j')(np.array({ys}))"
    call = f"jax.vmap(lambda x: {inner}, axis_name='i')(np.array({xs}))"
    return f"What is `{call}`? A list of lists.", f"{call}.tolist()"


def refusals(rng):
    pool = [
        "jax.vmap(lambda x, y: x * y)(np.ones(3), np.ones(4))",
        "jax.vmap(lambda x, y: x * y, in_axes=(0, None))(np.ones(3), np.ones(3))",
        "jax.vmap(lambda x: x if x > 0 else -x)(np.ones(3))",
        "jax.vmap(lambda x: jnp.where(x > 0, x, -x))(np.ones(3))",
        "jax.vmap(lambda x: x - lax.psum(x, 'rows'), axis_name='row')(np.ones(3))",
        "jax.vmap(lambda x: 2.0 * x, out_axes=None)(np.ones(3))",
        "jax.vmap(lambda x: 2.0, out_axes=None)(np.ones(3))",
        "jax.vmap(lambda x: x, in_axes=1)(np.ones(3))",
        "jax.vmap(lambda x: x, in_axes=None)(np.ones(3))",
        "jax.vmap(lambda x: float(x))(np.ones(3))",
        "jax.vmap(lambda x: np.sin(x))(np.ones(3))",
        "jax.vmap(lambda x: x if len(x) > 1 else -x)(np.ones((3, 3)))",
    ]
    calls = some(rng, pool, 4)
    text = "What is raised by each of `" + "`, `".join(calls) + "`? A list of four names."
    return text, f"[{', '.join(f'error(lambda: {call})' for call in calls)}]"


def axes(rng):
    shape, d = sizes(rng, 4), int(rng.integers(0, 4))
    over = sorted(int(a) for a in rng.permutation(3)[:2])
    call = f"jax.vmap(lambda x: jnp.sum(x, {tuple(over)}), in_axes={d})(np.zeros({shape}))"
    text = f"Over which axes does the `reduce_sum` go that reaches the ground floor in `{call}`?"
    case = f"[list(p['axes']) for name, p in operations(lambda: {call}) if name == 'reduce_sum'][0]"
    return f"{text} A list.", case
