"""The prompt of a breakpoint: commands in the manner of Python's own debugger, pdb.

A program that is stopped can't be stepped through: its Python ran before it did. What can be done
is to look at the frames of that time, whose arrays have their values now, and to go on.
"""

from __future__ import annotations

import cmd
import pprint
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TextIO


@dataclass(frozen=True)
class Frame:
    """A function that was running when the breakpoint was traced: where, and what it had."""

    filename: str
    lineno: int
    source: list[str]  # of the function; empty where it can't be read
    offset: int | None  # of the line in the source
    arguments: Sequence[str]
    names: dict[str, Any]  # its variables
    module: dict[str, Any]  # those around it


class Prompt(cmd.Cmd):
    """Reads commands until one goes on with the program. Any other line is evaluated."""

    prompt, intro = "(jdb) ", "Entering jdb:"

    def __init__(
        self, frames: Sequence[Frame], stdin: TextIO | None = None, stdout: TextIO | None = None,
        completekey: str = "tab",
    ) -> None:  # fmt: skip
        super().__init__(completekey, stdin, stdout)
        self.use_rawinput = stdin is None
        self.frames, self.at = frames, 0  # the innermost frame comes first

    def run(self) -> None:
        """Asks for commands. Ctrl-C leaves the line, not the prompt."""
        while True:
            try:
                return self.cmdloop()
            except KeyboardInterrupt:
                print("--KeyboardInterrupt--", file=sys.stdout)

    # Values.

    def show(self, expression: str, text_of: Callable[[Any], str]) -> None:
        frame = self.frames[self.at]
        try:
            text = text_of(eval(expression, {**frame.module, **frame.names}))
        except (Exception, SystemExit) as error:
            text = f"*** {traceback.format_exception_only(error)[-1].strip()}"
        print(text, file=self.stdout)

    def default(self, line: str) -> None:
        self.show(line, repr)

    def do_p(self, arg: str) -> None:
        """p EXPRESSION: its value."""
        self.show(arg, repr)

    def do_pp(self, arg: str) -> None:
        """pp EXPRESSION: its value, laid out on several lines."""
        self.show(arg, pprint.pformat)

    def do_args(self, _: str) -> None:
        """args: the arguments of the frame's function."""
        frame = self.frames[self.at]
        for name in frame.arguments:
            if name in frame.names:
                print(f"{name} = {frame.names[name]!r}", file=self.stdout)

    # Places.

    def show_lines(self, around: int = 2) -> None:
        """The frame's line, with so many below it, and one more above."""
        frame = self.frames[self.at]
        print(f"> {frame.filename}({frame.lineno})", file=self.stdout)
        if frame.offset is not None:
            first = max(frame.offset - 1 - around, 0)
            for i, line in enumerate(frame.source[first : frame.offset + around + 1], first):
                print(f"{'->' if i == frame.offset else '  '}  {line}", file=self.stdout)

    def go(self, number: int, end: str) -> None:
        if 0 <= number < len(self.frames):
            self.at = number
        else:
            print(f"At {end}most frame.", file=self.stdout)
        self.show_lines()

    def do_up(self, _: str) -> None:
        """u(p): to the frame that called this one."""
        self.go(self.at + 1, "top")

    def do_down(self, _: str) -> None:
        """d(own): to the frame that this one called."""
        self.go(self.at - 1, "bottom")

    def do_list(self, _: str) -> None:
        """l(ist): the lines around the frame's."""
        self.show_lines(5)

    def do_where(self, _: str) -> None:
        """w(here), bt: all frames, the innermost last."""
        print("Traceback:", file=self.stdout)
        for frame in reversed(self.frames):
            line = "<no source>" if frame.offset is None else frame.source[frame.offset].strip()
            print(f'  File "{frame.filename}", line {frame.lineno}\n    {line}', file=self.stdout)

    # Ends.

    def do_continue(self, _: str) -> bool:
        """c(ont(inue)): go on with the program."""
        return True

    def do_quit(self, _: str) -> None:
        """q(uit), exit: end the program."""
        sys.exit(0)

    do_u, do_d, do_l, do_w, do_bt = do_up, do_down, do_list, do_where, do_where
    do_c = do_cont = do_continue
    do_q = do_exit = do_EOF = do_quit
