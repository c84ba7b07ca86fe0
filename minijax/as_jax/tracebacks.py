"""Which frames of a traceback are the user's. JAX's `traceback_util` tells them by their files."""

from __future__ import annotations

import sys
from types import FrameType

from minijax.core import errors


def register_exclusion(path: str) -> None:
    """Has the module of this file count as no part of the user's program.

    What its errors say stays as it is: who catches them may look for it.
    """
    for name, module in tuple(sys.modules.items()):
        if getattr(module, "__file__", None) == path:
            errors.register_exclusion(name, own_messages=True)


def include_frame(frame: FrameType) -> bool:
    """Whether a traceback shows the frame."""
    return not errors.is_ours(frame)
