"""Profiles in pprof's format: Protocol Buffers, of which a few messages are needed.

The table has those of https://github.com/google/pprof/blob/main/proto/profile.proto that are
written here.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Mapping, Sequence

from minijax.profiler.array_origins import Place, Stack
from minijax.profiler.protocol_buffers import Messages, Numbers, encoded

_MESSAGES: Messages = {
    "Profile": {
        "sample_type": (1, "ValueType"), "sample": (2, "Sample"), "mapping": (3, "Mapping"),
        "location": (4, "Location"), "function": (5, "Function"), "string_table": (6, "text"),
        "time_nanos": (9, "integer"), "default_sample_type": (14, "integer"),
    },
    "ValueType": {"type": (1, "integer"), "unit": (2, "integer")},
    "Sample": {"location_id": (1, "integer"), "value": (2, "integer"), "label": (3, "Label")},
    "Label": {"key": (1, "integer"), "str": (2, "integer")},
    "Mapping": {"id": (1, "integer"), "filename": (5, "integer"), "has_functions": (7, "integer")},
    "Location": {"id": (1, "integer"), "mapping_id": (2, "integer"), "line": (4, "Line")},
    "Line": {"function_id": (1, "integer"), "line": (2, "integer")},
    "Function": {
        "id": (1, "integer"), "name": (2, "integer"), "system_name": (3, "integer"),
        "filename": (4, "integer"),
    },
}  # fmt: skip


def shown_name(function: str) -> str:
    """A function's name as pprof shows it, which takes what is in angles for a template's argument.

    >>> shown_name("<module>"), shown_name("f")
    ('module', 'f')
    """
    return function.strip("<>")


def profile(
    value_types: Sequence[tuple[str, str]],
    samples: Iterable[tuple[Stack, Sequence[int], Mapping[str, str]]], nanoseconds: int,
) -> bytes:  # fmt: skip
    """A profile, compressed: of samples, each a stack, its values, and labels.

    `value_types` names each value and its unit, as ("space", "bytes"); the last is shown first.
    """
    texts, functions, locations = Numbers(0), Numbers(1), Numbers(1)
    texts[""]  # whose number is to be 0

    def location(place: Place) -> int:
        functions[place.function, place.file]
        return locations[place]

    rows = [
        {"location_id": list(map(location, stack)), "value": list(values),
         "label": [{"key": texts[key], "str": texts[text]} for key, text in labels.items()]}
        for stack, values, labels in samples
    ]  # fmt: skip
    fields = {
        "sample_type": [{"type": texts[kind], "unit": texts[unit]} for kind, unit in value_types],
        "sample": rows,
        "mapping": [{"id": 1, "filename": texts["minijax"], "has_functions": 1}],
        "location": [
            {"id": number, "mapping_id": 1, "line": [
                {"function_id": functions[place.function, place.file], "line": place.line}]}
            for place, number in locations.items()
        ],
        "function": [
            {"id": number, "name": texts[shown_name(name)], "system_name": texts[name],
             "filename": texts[file]}
            for (name, file), number in functions.items()
        ],
    }  # fmt: skip
    shown_first = texts[value_types[-1][0]]
    end = {"time_nanos": nanoseconds, "default_sample_type": shown_first}
    return gzip.compress(
        encoded(_MESSAGES, "Profile", {**fields, "string_table": list(texts), **end})
    )
