"""Every nesting of jit, vmap, grad and scan to depth three, the third being what devices run: which
of them are around it, and which inside."""

from itertools import product

SETUP = """\
import importlib
S = importlib.import_module(f'{jax.__name__}.sharding')
P = S.PartitionSpec
X = np.arange(16, dtype=np.float32).reshape(8, 2) / 8

def scan(f):
    return lambda x: lax.scan(lambda c, _: (f(c), ()), x, (), length=2)[0]

def grad(f):
    return jax.grad(lambda x: f(x).sum())

WAYS = {'jit': jax.jit, 'vmap': jax.vmap, 'grad': grad, 'scan': scan}
"""

_WAYS = ["jit", "vmap", "grad", "scan"]
NESTINGS = [
    (list(outer), list(inner))
    for depth in range(3)
    for split in range(depth + 1)
    for outer in product(_WAYS, repeat=split)
    for inner in product(_WAYS, repeat=depth - split)
]
