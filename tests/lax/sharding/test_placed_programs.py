"""Random programs in text give the same on arrays that lie on devices as on others.

PLACED_TEXTS=3000 runs more of them.
"""

import os
import warnings

import numpy as np
import pytest

import minijax as jax
from minijax.sharding import Mesh, NamedSharding, PartitionSpec
from oracle import facts
from program_texts import SETUP, Maker, Oracle

COUNT = int(os.environ.get("PLACED_TEXTS", "200"))


def place(x):
    """Along the first axis that 2 or 3 divides; on the fourth device where there is none."""
    devices = np.array(jax.devices())
    for axis, size in enumerate(x.shape):
        for parts in (2, 3):
            if size and size % parts == 0:
                spec = PartitionSpec(*[None] * axis, "parts")
                return jax.device_put(x, NamedSharding(Mesh(devices[:parts], "parts"), spec))
    return jax.device_put(x, devices[3])


def everywhere(x):
    """Whole on three devices, so that any two such arrays may meet."""
    mesh = Mesh(np.array(jax.devices()[:3]), "parts")
    return jax.device_put(x, NamedSharding(mesh, PartitionSpec()))


def outcome(program, names, put):
    """Values, weak types and committed results; or the error."""
    with warnings.catch_warnings(), jax.enable_x64(program.x64):
        warnings.simplefilter("ignore")
        names = {**names, "put": put}
        inputs = "\n".join(f"{name} = put({text})" for name, text in program.inputs)
        arguments = ", ".join(name for name, _ in program.inputs)
        text = f"{inputs}\n{program.function}\n{program.nested}({arguments})"
        try:
            return facts.describe(facts.evaluate(text, names), jax)
        except Exception as error:
            return type(error)


@pytest.fixture(scope="module")
def names():
    names = facts.namespace("minijax")
    exec(SETUP, names)
    return names


@pytest.mark.prove
@pytest.mark.parametrize("put", [place, everywhere], ids=["divided", "whole"])
def test_placed_arrays_give_what_others_give(names, put, module_on_numpy):
    maker, differing, placed = Oracle(lambda _: facts.namespace("minijax")), [], 0
    for seed in range(COUNT):
        program = Maker(seed, maker).make()
        if put is place and len(program.inputs) > 1:
            continue  # they would lie on different devices
        plain, got = (outcome(program, names, way) for way in (lambda x: x, put))
        placed += 1
        if got != plain:
            differing.append(f"{program}\n{got}\n{plain}")
    assert placed > COUNT / 5 and not differing, "\n\n".join(differing)
