"""The partitioner tried without devices: nested `vmap`s with the mesh's names are the devices."""

import numpy as np

import minijax as jax
import minijax.lax.sharding.axes_alike
import minijax.numpy as jnp
from minijax import lax
from minijax.compiler.passes.partition import partition
from minijax.core.staging import jaxpr_as_fun

MESH = {"x": 4, "y": 2}
PLACES = [{"x": i, "y": j} for i in range(MESH["x"]) for j in range(MESH["y"])]


def function(text, package=jax, numpy=jnp, primitives=lax):
    return eval(text, {"jax": package, "jnp": numpy, "lax": primitives})


def arrays(text):
    """The arrays and cuts that a table writes as `8,8:x,y i8:x`."""
    return list(map(array, text.split()))


def array(text):
    shape, cut = text.split(":")
    sizes = tuple(map(int, shape.strip("i()").split(","))) if shape.strip("i()") else ()
    count = np.arange(np.prod(sizes, dtype=int)).reshape(sizes)
    values = (count % 5).astype(np.int32) if shape[0] == "i" else np.float32(count / 7 / count.size)
    return values, tuple(tuple(names.strip("-")) for names in cut.split(",")) if sizes else ()


def shown(cut):
    """A cut as a table writes it."""
    return " ".join("".join(names) or "-" for names in cut) if cut else "()"


def partitioned(fun, args, cuts, out_cuts=None):
    """The jaxpr of a function and what the partitioner makes of it."""
    closed = jax.make_jaxpr(fun)(*args)
    return closed, partition(closed, MESH, cuts, out_cuts)


def part_of(x, cut, place):
    """What the device at a place has of an array."""
    slices = []
    for size, names in zip(np.shape(x), cut, strict=True):
        number, parts = 0, 1
        for name in names:
            number, parts = number * MESH[name] + place[name], parts * MESH[name]
        slices.append(slice(number * size // parts, (number + 1) * size // parts))
    return x[tuple(slices)]


def on_devices(part, args):
    """What each device has of each result: arrays with the mesh's axes in front."""

    def spread(x, cut):
        parts = np.stack([part_of(np.asarray(x), cut, place) for place in PLACES])
        return parts.reshape(*MESH.values(), *parts.shape[1:])

    device = jaxpr_as_fun(part.program)
    everywhere = jax.vmap(jax.vmap(device_of(device), axis_name="y"), axis_name="x")
    return everywhere(*map(spread, args, part.in_cuts))


def device_of(device):
    return lambda *args: device(*args)


def check_values(closed, part, args, tolerance=2e-5):
    """Each device has its part of what the program gives undivided."""
    for whole, parts, cut in zip(
        jaxpr_as_fun(closed)(*args), on_devices(part, args), part.out_cuts, strict=True
    ):
        for place in PLACES:
            got = np.asarray(parts)[place["x"], place["y"]]
            wanted = part_of(np.asarray(whole), cut, place)
            np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance)
