"""Functions that stand in the place of others for a while, such as while something is recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Replacements:
    """What was put in, and how each is taken out again, the last one first.

    One that cannot be taken out, since another has been put round it, stays, so it has to be such
    that it does no more than what it replaced.
    """

    def __init__(self) -> None:
        self.taken_out: list[Callable[[], None]] = []  # what each is to be undone with, in order

    def take_out(self) -> None:
        while self.taken_out:
            self.taken_out.pop()()

    def replace(self, owner: Any, name: str, new: Any) -> None:
        """Gives a class or a module another function, until `take_out`."""
        old = vars(owner)[name]
        setattr(owner, name, new)

        def undo() -> None:
            if vars(owner).get(name) is new:
                setattr(owner, name, old)

        self.taken_out.append(undo)

    def replace_item(self, table: dict, key: Any, new: Any) -> None:
        """Gives a table another entry, until `take_out`."""
        old = table[key]
        table[key] = new

        def undo() -> None:
            if table.get(key) is new:
                table[key] = old

        self.taken_out.append(undo)
