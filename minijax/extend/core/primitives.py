"""Every primitive, under the names of `jax.extend.core.primitives`: those of lax, and some others.

>>> add_p, jit_p
(add, jit)
"""

from minijax import lax
from minijax.core.forward import add_any_p as add_jaxvals_p
from minijax.core.jitting import jit_p
from minijax.core.prng import (
    random_bits_p,
    random_fold_in_p,
    random_seed_p,
    random_split_p,
    threefry2x32_p,
)
from minijax.face.planned import missing_names, shown_names
from minijax.lax.custom.checkpoint import remat_p
from minijax.lax.custom.checkpoint_policies import name_p
from minijax.lax.custom.derivatives import custom_jvp_call_p, custom_vjp_call_p

_others = {
    "add_jaxvals_p": add_jaxvals_p,
    "custom_jvp_call_p": custom_jvp_call_p,
    "custom_vjp_call_p": custom_vjp_call_p,
    "jit_p": jit_p,
    "name_p": name_p,
    "random_bits_p": random_bits_p,
    "random_fold_in_p": random_fold_in_p,
    "random_seed_p": random_seed_p,
    "random_split_p": random_split_p,
    "remat_p": remat_p,
    "threefry2x32_p": threefry2x32_p,
}
_of_lax = {name: getattr(lax, name) for name in lax.__all__ if name.endswith("_p")}
__all__ = sorted(_others | _of_lax)
globals().update(_of_lax)
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)
