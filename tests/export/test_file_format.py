"""The bytes of an exported function: what is written is read again, and nothing else is."""

import hashlib
import importlib
import json
import pkgutil
import random as stdlib_random
import struct
from pathlib import Path

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from core.test_numeric_rules import Trial
from linalg_table import LINALG
from minijax import export, lax
from minijax.core.jitting import Backend, CompileOptions
from minijax.core.primitives import elementwise
from minijax.core.tracing import Primitive
from minijax.export import file_format
from minijax.export.allowed_names import HOMES, name_of, primitive_named
from minijax.export.parameter_kinds import _number_of_operands
from minijax.sharding import AxisType, NamedSharding
from minijax.sharding import PartitionSpec as P
from oracle.xla_programs_table import PROGRAMS
from primitive_table import RULES

ROOT = Path(__file__).resolve().parents[2]
F = jnp.linspace(-1.0, 2.0, 5)
INTERPRETER = Backend()


def exported(f, *args):
    return export.export(jax.jit(f))(*args)


def on_numpy(closed, args):
    return INTERPRETER.compile(closed, CompileOptions("program", ()))(*args)


# Whole programs, and each line of the primitives' table.

CASES = sorted(name for name in PROGRAMS if not name.endswith("x64"))


def read_again(f, *args):
    """The program of a function as it is exported, and as it is read from its bytes."""
    exp = exported(f, *args)
    blob = exp.serialize()
    read = export.deserialize(blob)
    assert str(read.jaxpr).replace("~", "") == str(exp.jaxpr).replace("~", "")
    assert read.serialize() == blob
    return exp.jaxpr, read.jaxpr


@pytest.mark.parametrize("start", range(6))
def test_programs_are_read_as_they_were_written(start):
    for name in CASES[start::24]:
        f, args = PROGRAMS[name]()
        leaves = jax.tree.leaves(args)
        written, read = (on_numpy(program, leaves) for program in read_again(f, *args))
        assert list(map(bytes_of, written)) == list(map(bytes_of, read)), name


def test_every_primitive_is_read_as_it_was_written():
    with jax.enable_x64():
        for rule in [*RULES, *LINALG]:
            trial = Trial(rule, rule.shapes[-1], rule.dtypes[-1])
            read_again(lambda *xs, rule=rule: rule.function(*xs), *map(jnp.asarray, trial.args()))


def bytes_of(x) -> bytes:
    return np.asarray(jax.random.key_data(x) if "key" in str(x.dtype) else x).tobytes()


def test_numbers_are_the_same_to_the_bit():
    odd = np.array([0x7FC00001, 0xFFC00000, 0x80000000, 0x7F800000, 1], np.uint32).view(np.float32)
    literals = [np.float32(x) for x in (odd[0], -0.0, np.inf, 1e-45)]
    consts = [odd, *(jnp.asarray(odd).astype(t) for t in ("bfloat16", "float16", "complex64")),
              np.zeros((0, 3), np.int8), np.array([True, False]), np.array(-3)]  # fmt: skip
    exp = exported(lambda: [*literals, *consts, lax.full((2,), -0.0)])
    got = export.deserialize(exp.serialize()).call()
    for x, y in zip(got, exp.call(), strict=True):
        assert (x.dtype, x.shape, bytes_of(x)) == (y.dtype, y.shape, bytes_of(y))


def test_a_program_that_is_carried_often_is_written_once():
    inner = jax.jit(lambda x: jnp.sin(x) + F)
    blob = exported(lambda x: inner(inner(inner(x))), F).serialize()
    programs = document(blob)["programs"]
    assert [len(p["equations"]) for p in programs] == [2, 3]
    assert len(document(blob)["arrays"]) == 1


def test_every_primitive_has_a_name_and_one_alone():
    named = [name for names in HOMES.values() for name in names.split()]
    assert len(named) == len(set(named)) and len(named) > 170
    assert all(name_of(primitive_named(name)) == name for name in named)


# Written out before, or refused: they hold functions, have effects, or need a named axis. The last
# three are made while kernels are compiled.
IN_NO_FILE = """
    check composite create_token after_all custom_jvp_call custom_lin custom_vjp_call
    custom_vmap_call linear_call remat_opt reduce
    dce_sink debug_callback debug_print io_callback pure_callback scaled_matmul_wrapper
    pvary on_devices reshard pallas_call all_gather_reduced unreduced_psum
    unreduced_reduce_scatter preduced
    reduced_vary_cast_p vary_unreduced_cast_p
    program_id num_programs addupdate empty_ref free_ref freeze get new_ref swap
    from_bits rounded to_bits
    new_ref empty_ref get swap addupdate freeze free_ref
""".split()


def test_every_primitive_of_the_language_may_be_in_a_file_or_may_not():
    found = set()
    for package in ("core", "lax", "random"):
        path = [str(ROOT / "minijax" / package)]
        for info in pkgutil.walk_packages(path, f"minijax.{package}."):
            values = vars(importlib.import_module(info.name)).values()
            found |= {x.name for x in values if isinstance(x, Primitive)}
    named = {name for names in HOMES.values() for name in names.split()}
    assert found - named == {*IN_NO_FILE}


def test_it_is_known_how_many_operands_every_elementwise_primitive_takes():
    named = [primitive_named(name) for names in HOMES.values() for name in names.split()]
    unknown = {p.name for p in elementwise.intersection(named) if _number_of_operands(p) is None}
    assert unknown == set()


# Other bytes.


def document(blob) -> dict:
    size = struct.unpack_from("<8sIQ", blob)[2]
    return json.loads(bytes(blob[file_format.HEAD.size :][:size]))


def signed(texts: dict, rest: bytes) -> bytes:
    """A file with this content, whose checksum is right."""
    text = json.dumps(texts).encode()
    digest = hashlib.sha256(text + rest).digest()
    return file_format.HEAD.pack(file_format.MAGIC, 1, len(text), digest) + text + rest


def sample():
    def f(x, n):
        y = lax.cond(n > 0, lambda x: jnp.sort(x)[::-1], lambda x: x * 2.5, x)
        picked = y[jnp.array([0, 3])] + jnp.pad(x, (1, 1), constant_values=np.nan)[2:4]
        return {"a": (picked @ picked, jnp.cumsum(y.reshape(5, 1), 0)), "b": [n << 2, x > F]}

    return exported(f, F, 3)


def test_what_is_wrong_is_said():
    blob = bytes(sample().serialize())
    others = b"", b"x", b"\0" * 200, b"minijax", b"\x1c\0\0\0" + b"q" * 99
    cases = [("of something else", data) for data in others]
    cases += [("are damaged", data) for data in (
        blob[:-1], blob[:60], blob[:30], blob + b"x", blob[:200] + b"\0" + blob[201:])]  # fmt: skip
    cases += [("of version 9", blob[:8] + b"\x09" + blob[9:])]
    for text, data in cases:
        with pytest.raises(ValueError, match="^deserialize") as caught:
            export.deserialize(data)
        assert text in str(caught.value)
    for x in (None, 3, "minijax", [1, 2], np.zeros(3)):
        with pytest.raises(TypeError, match="^deserialize takes what Exported.serialize returned"):
            export.deserialize(x)


def spread(programs: int) -> dict:
    """A program that calls one before it twice, and so on: written out, it is endless."""
    texts = document(exported(jax.jit(lambda x: jax.jit(lambda x: x)(x)), F).serialize())
    call = next(p["equations"] for p in texts["programs"] if p["equations"])
    texts["programs"] = texts["programs"][:1]
    for i in range(programs):
        again = [json.loads(json.dumps(call[0])) for _ in range(2)]
        for eqn in again:
            eqn[2]["jaxpr"] = {"program": i}
        texts["programs"].append(
            {"constants": [], "arguments": [0], "equations": again, "results": [2]}
        )
    texts["functions"][0]["program"] = programs
    return texts


def test_types_of_explicit_axes_are_read_as_they_were_written():
    """Beside axes that are not, which JAX 0.10.2 can't export."""
    kinds = (AxisType.Explicit, AxisType.Auto)
    mesh = jax.make_mesh((2, 2), ("a", "b"), axis_types=kinds)
    x = jax.device_put(np.ones((8, 4), np.float32), NamedSharding(mesh, P("a", "b")))
    w = np.ones((4, 6), np.float32)
    exp = exported(lambda x, w: (jnp.sin(x) @ w).sum(0), x, w)
    blob = exp.serialize(1)
    read = export.deserialize(blob)
    assert str(read.in_avals[0]) == "float32[8@a,4]" and read.serialize(1) == blob
    of_read, of_exp = (jax.grad(lambda x, exp=e: exp.call(x, w).sum())(x) for e in (read, exp))
    np.testing.assert_array_equal(of_read, of_exp)
    texts = document(blob)
    rest = bytes(blob)[file_format.HEAD.size + len(json.dumps(texts, separators=(",", ":"))) :]
    entry = next(entry for entry in texts["types"] if len(entry) == 4)
    said = json.dumps(entry[3])
    for other in (
        3, {"spec": [[], {"set": []}, {"set": []}]}, json.loads(said.replace('"a"', '"c"', 1)),
        json.loads(said.replace("Explicit", "Auto")), json.loads(said.replace("[2, 2]", "[3, 2]")),
    ):  # fmt: skip
        entry[3:] = [other]
        with pytest.raises(ValueError, match="are whole, and what they hold is no program: "):
            export.deserialize(signed(texts, rest))


def test_programs_of_devices_are_read_as_they_were_written():
    """And a body whose pieces are not those of the mesh is refused."""
    mesh = jax.make_mesh((2, 2), ("a", "b"), axis_types=(AxisType.Auto,) * 2)

    def f(x):
        moved = lax.ppermute(lax.psum(x, "b"), "a", [(0, 1), (1, 0)])
        return lax.all_gather(moved, "a", tiled=True).sum() * x

    cut = P("a", "b")
    on_devices = jax.shard_map(f, mesh=mesh, in_specs=cut, out_specs=cut, check_vma=False)
    x = np.arange(32, dtype=np.float32).reshape(8, 4)
    blob = exported(on_devices, x).serialize()
    read = export.deserialize(blob)
    assert read.serialize() == blob
    placed = jax.device_put(x, NamedSharding(mesh, cut))
    np.testing.assert_array_equal(read.call(placed), on_devices(x))
    texts = document(blob)
    rest = bytes(blob)[file_format.HEAD.size + len(json.dumps(texts, separators=(",", ":"))) :]
    written = json.dumps(texts)
    for old, new in (
        ("[2, 2]", "[4, 1]"), ('"axis_size": 2', '"axis_size": 4'), ("[0, 1]", "[0, 2]"),
        ('"axis_name": ["a"]', '"axis_name": ["c"]'), ('"axes": ["b"]', '"axes": [0]'),
        ('"b"', '"a"'), ('{"set": ["a", "b"]}', '{"set": ["a"]}'), ('"check_vma": false', '"x": 1'),
        ('"tiled": true', '"tiled": 1'), ('"nr_devices": 4', '"nr_devices": 2'),
    ):  # fmt: skip
        assert old in written
        with pytest.raises(ValueError, match="are whole, and what they hold is no program: "):
            export.deserialize(signed(json.loads(written.replace(old, new)), rest))
    body = next(i for i, program in enumerate(texts["programs"]) if "psum" in str(program))
    texts["functions"][0]["program"] = body
    with pytest.raises(ValueError, match="are whole, and what they hold is no program: "):
        export.deserialize(signed(texts, rest))


def test_bytes_that_mean_harm_are_refused():
    texts = document(sample().serialize())
    rest = bytes(sample().serialize())[file_format.HEAD.size + len(json.dumps(texts)) :]

    def changed(**parts):
        return signed({**texts, **parts}, rest)

    deep = json.loads("[" * 900 + "]" * 900)
    huge = [["f32", [1 << 61, 4], False], ["f32", [1 << 80], False], ["f32", [-1], False],
            ["f32", [3] * 65, False], ["O", [], False], ["f32", [True], False]]  # fmt: skip
    attempts = [
        b"[" * 100_000, b"{}", b"[1e999]", b"NaN", b"\xff\xfe", b"9" * 10_000,
        *(changed(types=[*texts["types"], entry]) for entry in huge[1:]),
        changed(arrays=[["f32", [1 << 61]]]), changed(programs=texts["programs"][::-1]),
        changed(functions=[]), changed(functions=texts["functions"] * 2), changed(more=1),
        signed(spread(60), b""), signed(texts, rest + b"0"), signed(texts, rest[:-1]),
    ]  # fmt: skip
    for name, params in [
        ("pure_callback", {}), ("os.system", {}), ("sin", {"accuracy": {"os": ["ls"]}}),
        ("sin", {"accuracy": deep}), ("sin", {"no_such": 3}), ("call_exported", {"exported": 3}),
        ("sin", {"x": {"dtype": "object"}}), ("sin", {"x": {"scalar": [0, "zz"]}}),
    ]:  # fmt: skip
        eqn = [name, [0], params, [0]]
        program = {"constants": [], "arguments": [0], "equations": [eqn], "results": [1]}
        attempts.append(changed(programs=[program] * len(texts["programs"])))
    for data in attempts:
        if not data.startswith(file_format.MAGIC):
            head = file_format.MAGIC, 1, len(data), hashlib.sha256(data).digest()
            data = file_format.HEAD.pack(*head) + data
        with pytest.raises(ValueError, match="are whole, and what they hold is no program: "):
            export.deserialize(data)


# Fuzzing: what was changed at random is refused, or is another program, which runs or refuses to.

VALUES = (None, True, False, 0, 1, -1, 2, 7, 1 << 40, 1.5, "", "f32", "x", [], {}, [0], [[]],
          {"dtype": "f32"}, {"float": "nan"}, {"program": 0}, {"slice": [None, None, None]},
          {"array": [0, 0]}, {"GatherScatterMode": "CLIP"}, {"list": []})  # fmt: skip


def place(x, draw: stdlib_random.Random) -> tuple:
    """A container in a JSON document, and a key of it."""
    while True:
        key = draw.choice(list(x) if isinstance(x, dict) else range(len(x)))
        child = x[key]
        if not (isinstance(child, dict | list) and child) or draw.random() < 0.15:
            return x, key
        x = child


def mutated(blob: bytes, draw: stdlib_random.Random) -> bytes:
    if draw.random() < 0.3:
        data = bytearray(blob)
        for _ in range(draw.randint(1, 4)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        return bytes(data[: draw.randint(1, len(data))] if draw.random() < 0.3 else data)
    texts = document(blob)
    rest = blob[file_format.HEAD.size + len(json.dumps(texts, separators=(",", ":"))) :]
    for _ in range(draw.choice((1, 1, 1, 2, 5))):
        container, key = place(texts, draw)
        what = draw.random()
        if what < 0.15:
            del container[key]
        elif what < 0.3 and isinstance(container, list):
            container.insert(key, draw.choice((container[key], draw.choice(VALUES))))
        elif what < 0.5:
            other, its_key = place(texts, draw)
            container[key] = json.loads(json.dumps(other[its_key]))
        elif type(container[key]) is int and what < 0.8:
            container[key] += draw.choice((-1, 1, 1 << 33))
        else:
            container[key] = json.loads(json.dumps(draw.choice(VALUES)))
    return signed(texts, rest)


def fuzz(seeds) -> dict[str, int]:
    blob, counts = bytes(sample().serialize()), {"refused": 0, "ran": 0, "did not run": 0}
    for seed in seeds:
        draw = stdlib_random.Random(seed)
        data = mutated(blob, draw)
        try:
            read = export.deserialize(data)
        except ValueError as error:
            assert str(error).startswith("deserialize"), seed
            counts["refused"] += 1
            continue
        args = [np.ones(aval.shape, aval.dtype) for aval in read.in_avals]
        try:
            on_numpy(read.jaxpr, args)
            counts["ran"] += 1
        except (TypeError, ValueError, NotImplementedError):
            counts["did not run"] += 1
    return counts


def test_changed_bytes_are_refused_or_are_a_program():
    counts = fuzz(range(200))
    assert counts["refused"] > 150 and counts["ran"] > 0


@pytest.mark.prove
def test_changed_bytes_are_refused_or_are_a_program_ten_thousand_times():
    counts = fuzz(range(200, 10_200))
    assert counts["refused"] > 8_000 and counts["ran"] > 100
