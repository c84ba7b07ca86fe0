"""Tables as JAX's bytes have them: what is written is read, and nothing outside is looked at."""

import random as stdlib_random

import pytest

from minijax.export import jax_format
from minijax.export.flat_tables import Number, Numbers, root_table, written

TABLE = {
    0: Number("H", 3), 2: "näme", 3: Number("b", -5), 5: b"\x00\x01\xff", 6: Number("I", 1 << 31),
    7: Numbers("I", [1, 2, 1 << 31]), 8: Numbers("H", []), 9: ["a", "", "bc"], 11: Number("B", 1),
    10: [{0: "inner", 4: [{1: Number("b", 7)}]}, {0: "other"}], 12: {3: "alone"}, 13: [],
}  # fmt: skip


def read(table) -> list:
    return [
        table.number(0, "H"), table.text(2), table.number(3, "b"), table.bytes(5),
        table.number(6, "I"), table.numbers(7, "I"), table.numbers(8, "H"), table.texts(9),
        table.each(10, lambda t: (t.text(0), t.each(4, lambda u: u.number(1, "b")))),
        table.table(12).text(3), table.texts(13), table.number(11, "B"),
        table.number(1, "I"), table.number(40, "I", 9), table.table(4), table.texts(14),
    ]  # fmt: skip


def test_a_table_is_read_as_it_was_written():
    assert read(root_table(bytes(written(TABLE)))) == [
        3, "näme", -5, b"\x00\x01\xff", 1 << 31, (1, 2, 1 << 31), (), ["a", "", "bc"],
        [("inner", [7]), ("other", [])], "alone", [], 1, 0, 9, None, [],
    ]  # fmt: skip


def test_nothing_outside_of_the_bytes_is_read():
    data, draw = bytes(written(TABLE)), stdlib_random.Random(0)
    for end in range(len(data)):
        with pytest.raises((ValueError, AttributeError)):
            read(root_table(data[:end]))
    for _ in range(300):
        changed = bytearray(data)
        changed[draw.randrange(len(data))] = draw.randrange(256)
        try:
            read(root_table(bytes(changed)))
        except (ValueError, AttributeError):
            pass


def test_tables_that_name_one_another_many_times_are_refused():
    inner: dict = {0: []}
    deep = bytes(written({0: [inner]}))
    table = root_table(deep)
    table.left[0] = 1
    with pytest.raises(ValueError, match="there are too many tables"):
        table.each(0, lambda t: t.each(0, id) or t._at(table._field(0)))


def test_structures_are_written_for_jax_and_read():
    data = {"tuple": [{"dict": [["a", "*"], ["b", None]]}, {"custom": ["my.Box", "00ff", ["*"]]},
                      {"list": []}]}  # fmt: skip
    blob = bytes(written(jax_format._write_node(data)))
    assert jax_format._read_node(root_table(blob)) == {
        "tuple": [{"dict": [("a", "*"), ("b", None)]}, *data["tuple"][1:]]
    }
