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
from minijax.core.tracing import Primitive
from minijax.face.planned import missing_names, shown_names
from minijax.lax.custom.checkpoint import remat_p
from minijax.lax.custom.checkpoint_policies import name_p
from minijax.lax.custom.derivatives import custom_jvp_call_p, custom_vjp_call_p
from minijax.lax.linalg.eigenvectors import eig_p, hessenberg_p, schur_p
from minijax.lax.linalg.gaussian import lu_p
from minijax.lax.linalg.positive_definite import cholesky_p
from minijax.lax.linalg.reflections import householder_product_p, qr_p
from minijax.lax.linalg.singular_values import svd_p
from minijax.lax.linalg.symmetric import eigh_p, tridiagonal_p
from minijax.lax.linalg.triangular import triangular_solve_p
from minijax.lax.linalg.tridiagonal_systems import tridiagonal_solve_p
from minijax.random.gammas import random_gamma_p

# Calls of programs, which JAX has beside jit's. Whoever walks through programs may have a rule for
# them; no program here holds one, and none has an implementation.
call_p, closed_call_p = Primitive("call"), Primitive("closed_call")
call_p.multiple_results = closed_call_p.multiple_results = True

_others = {
    "add_jaxvals_p": add_jaxvals_p,
    "call_p": call_p,
    "cholesky_p": cholesky_p,
    "closed_call_p": closed_call_p,
    "custom_jvp_call_p": custom_jvp_call_p,
    "custom_vjp_call_p": custom_vjp_call_p,
    "eig_p": eig_p,
    "eigh_p": eigh_p,
    "hessenberg_p": hessenberg_p,
    "householder_product_p": householder_product_p,
    "jit_p": jit_p,
    "lu_p": lu_p,
    "name_p": name_p,
    "qr_p": qr_p,
    "random_bits_p": random_bits_p,
    "random_fold_in_p": random_fold_in_p,
    "random_gamma_p": random_gamma_p,
    "random_seed_p": random_seed_p,
    "random_split_p": random_split_p,
    "remat_p": remat_p,
    "schur_p": schur_p,
    "svd_p": svd_p,
    "threefry2x32_p": threefry2x32_p,
    "triangular_solve_p": triangular_solve_p,
    "tridiagonal_p": tridiagonal_p,
    "tridiagonal_solve_p": tridiagonal_solve_p,
}
_of_lax = {name: getattr(lax, name) for name in lax.__all__ if name.endswith("_p")}
__all__ = sorted(_others | _of_lax)
globals().update(_of_lax)
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)
