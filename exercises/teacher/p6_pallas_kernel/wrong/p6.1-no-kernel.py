"""The formulas in jnp, without a kernel."""

import minijax as jax
import minijax.numpy as jnp


def normed(x):
    """Rows with mean 0 and variance 1, in float32; and by what they were multiplied."""
    x = x.astype(jnp.float32)
    away = x - x.mean(1, keepdims=True)
    r = 1 / jnp.sqrt((away**2).mean(1, keepdims=True) + 1e-5)
    return away * r, r


@jax.custom_vjp
def layer_norm(x, a, b):
    """The rows of x with mean 0 and variance 1, times a, plus b."""
    return (normed(x)[0] * a + b).astype(x.dtype)


def backward(kept, ct):
    x, a = kept
    x_hat, r = normed(x)
    g = ct.astype(jnp.float32) * a
    inner = g - g.mean(1, keepdims=True) - x_hat * (g * x_hat).mean(1, keepdims=True)
    return (r * inner).astype(x.dtype), (ct * x_hat).sum(0), ct.astype(jnp.float32).sum(0)


def forward(x, a, b):
    return layer_norm(x, a, b), (x, a)


layer_norm.defvjp(forward, backward)
