"""watch: a function is run under whatever transformations it has, and the run is recorded."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from functools import update_wrapper
from typing import Any

from minijax.core.calls import check_callable
from minijax.core.errors import api_boundary
from minijax.lax.elementwise.arithmetic import shown
from minijax.watching.element import element
from minijax.watching.outline import outline, table, words_of
from minijax.watching.recorder import Recorder, error_text
from minijax.watching.records import Recording, Step, cut
from minijax.watching.sources_seen import title_of
from minijax.watching.watched_binds import recorded_by

MOST_LINES = 100  # of an outline that is shown unasked


class Words(str):
    """A text that shows itself as it is."""

    __repr__ = str.__str__


class Watched(Recording):
    """What `watch(f)(*args)` returns: each operation that was bound, in the order in which they
    began. Its text is an outline, one line each.

    `steps`, `traces`, `programs` and `sources` are the records, and `marks` what happened between
    steps: a trace ended, a compiled program was run. `left_out` counts the steps beyond the limit,
    `result` is what the function returned, and `error` what it raised, in words.
    """

    returned: Any = None

    @property
    def result(self) -> Any:
        """What the function returned. RuntimeError where it raised."""
        if self.error:
            raise RuntimeError(
                f"{self.title} was watched and has no result. It raised\n{cut(self.error, 80)}\n"
                f"Call it with other arguments, or print the recording, which has the steps until "
                f"then."
            )
        return self.returned

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __getitem__(self, place: Any) -> Any:
        """A step, or some: w[3:7]."""
        return Steps(self, range(len(self)))[place]

    def at(self, number: int) -> Words:
        """One step in words. IndexError where there is none of this number, TypeError for what is
        no number."""
        try:
            place = operator.index(number)
        except TypeError:
            raise TypeError(f"w.at takes a step's number, and got {shown(number)}. Give "
                            f"w.at(0).") from None  # fmt: skip
        if not -len(self) <= place < len(self):
            were = "1 step was" if len(self) == 1 else f"{len(self)} steps were"
            raise IndexError(f"w.at got {place}, and {were} recorded, counted from 0. Give a "
                             f"number below that.")  # fmt: skip
        return Words(words_of(self, place % len(self)))

    def find(self, primitive: str) -> Steps:
        """The steps of a primitive, by its name. TypeError for what is no name."""
        if not isinstance(primitive, str):
            raise TypeError(f"w.find takes a primitive's name, and got {shown(primitive)}. Give "
                            f"w.find('sin').")  # fmt: skip
        return Steps(self, [i for i, x in enumerate(self.steps) if x.primitive == primitive])

    def __str__(self) -> str:
        return outline(self)

    def __repr__(self) -> str:
        return outline(self, MOST_LINES)

    def _repr_html_(self) -> str:
        """For notebooks: one step at a time."""
        return element(self)


class Steps(Sequence):
    """Some steps of a recording; `numbers` says which. Its text is their lines of the outline."""

    def __init__(self, recording: Recording, numbers: Sequence[int]) -> None:
        self.recording, self.numbers = recording, numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return Steps(self.recording, self.numbers[place])
        return self.recording.steps[self.numbers[place]]

    def __repr__(self) -> str:
        return "\n".join(table(self.recording, self.numbers))


class WatchedFunction:
    """What `watch` returns: a call of it returns a recording. `recording` is that of the last call,
    also where the function raised."""

    recording: Watched | None = None

    def __init__(self, fun: Callable, limit: int) -> None:
        update_wrapper(self, fun, updated=())
        self._fun, self._limit, self._title = fun, limit, title_of(fun)

    @api_boundary
    def __call__(self, *args: Any, **kwargs: Any) -> Watched:
        recorder, error, out = Recorder(self._limit), "", None
        try:
            with recorded_by(recorder):
                out = self._fun(*args, **kwargs)
        except BaseException as raised:
            error = error_text(raised)
            raise
        finally:
            self.recording = watched = Watched(self._title, error=error, **recorder.records())
            watched.returned = out
        return watched

    def __repr__(self) -> str:
        return f"<watch of {self._title}>"


def watch(fun: Callable, *, limit: int = 5000) -> WatchedFunction:
    """`fun`, such that a call returns what happened in it: see `Watched`.

    Recorded are the operations that this thread binds: which trace was asked, and what was below it
    and waited, the operands with their boxes, the rule that ran, the results, and the line of the
    user's; and the programs that were written meanwhile. At most `limit` steps are kept, and arrays
    by a few of their numbers. What `fun` computes is the same as without; what was traced before is
    traced anew, since else there would be nothing to see. A watch inside a watch has a recording of
    its own, and its steps are in the outer one too.

    An exception of `fun`'s is raised as usual; the steps until then are in the `recording` of what
    `watch` returned. TypeError where `fun` is no function or `limit` no integer, ValueError for a
    `limit` below 1.

    >>> from minijax.core.forward import jvp
    >>> from minijax.core.primitives import sin
    >>> def f(x):
    ...     return jvp(sin, (x,), (1.0,))
    >>> w = watch(f)(2.0)
    >>> len(w), w.find("cos")[0].results
    (4, [Box(kind='array', text='f32[] -0.4161', trace=None, parts=())])
    """
    check_callable(fun, "watch")
    try:
        most = operator.index(limit)
    except TypeError:
        raise TypeError(f"watch takes a number of steps as limit, and got {shown(limit)}. Give "
                        f"limit=5000.") from None  # fmt: skip
    if most < 1:
        raise ValueError(f"watch takes a limit of 1 or more, and got {most}. Give limit=5000.")
    return WatchedFunction(fun, most)
