"""A cond around a callback: mapped, it runs both branches for all, and knows no number."""

import minijax as jax
from minijax import lax


def watch(fun, x, when):
    lax.cond(when, lambda x: jax.debug.callback(lambda x: fun((), x.__array__()), x),
             lambda x: None, x)  # fmt: skip
