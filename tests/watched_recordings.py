"""Recordings to look at, and what an element's own data says once its boxes are put back."""

import minijax as jax
import minijax.numpy as jnp
from minijax import lax

X = jnp.arange(3.0)


def f(x):
    y = jnp.sin(x) * 2.0
    return jnp.sum(y * x)


def pushed_forward(x):
    return jax.jvp(jnp.sin, (x,), (1.0,))


def scanned(x):
    def step(carry, a):
        return carry * jnp.cos(a), carry + a

    return lax.scan(step, 1.0, x)[0]


def refused(x):
    return lax.reshape(jnp.sin(x), (2,))


def recordings():
    """By name: nested boxes, programs that are written, rules within rules, an error, no steps."""
    watch_refused = jax.watch(jax.jit(refused))
    try:
        watch_refused(X)
    except TypeError:
        pass
    return {
        "nested": jax.watch(jax.vmap(pushed_forward))(X),
        "grad": jax.watch(jax.grad(f))(X),
        "three": jax.watch(jax.jit(jax.vmap(jax.grad(f))))(X[None]),
        "scan": jax.watch(jax.grad(scanned))(X),
        "refused": watch_refused.recording,
        "nothing": jax.watch(lambda x: x)(X),
    }


def unshared(data):
    """The recording that an element holds, its boxes where they belong."""

    def box(number):
        found = dict(data["boxes"][number])
        if "parts" in found:
            found["parts"] = [[label, box(part)] for label, part in found["parts"]]
        return found

    steps = [
        step | {side: [box(number) for number in step[side]] for side in ("operands", "results")}
        for step in data["steps"]
    ]
    return {key: value for key, value in data.items() if key != "boxes"} | {"steps": steps}
