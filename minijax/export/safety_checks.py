"""What a caller may switch off: checks that an exported program runs where it was made for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from minijax.lax.elementwise.arithmetic import shown


class DisabledSafetyCheck:
    """A check that is not to be made. Give such ones to `export` as `disabled_checks`.

    >>> DisabledSafetyCheck.platform()
    platform
    """

    def __init__(self, _impl: str) -> None:
        self._impl = _impl

    @classmethod
    def platform(cls) -> DisabledSafetyCheck:
        """The program may run on a platform for which it was not exported."""
        return cls("platform")

    @classmethod
    def custom_call(cls, target_name: str) -> DisabledSafetyCheck:
        """The program's StableHLO may call this function, which XLA need not keep."""
        return cls(f"custom_call:{target_name}")

    def is_custom_call(self) -> str | None:
        """The function that may be called, or None where the check is another one.

        >>> DisabledSafetyCheck.custom_call("my_function").is_custom_call()
        'my_function'
        """
        found = re.match("custom_call:(.+)$", self._impl)
        return found[1] if found else None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DisabledSafetyCheck) and other._impl == self._impl

    def __hash__(self) -> int:
        return hash(self._impl)

    def __repr__(self) -> str:
        return self._impl


def check_platforms(
    fun_name: str, exported_for: Sequence[str], used_on: Sequence[str],
    disabled: Sequence[DisabledSafetyCheck],
) -> None:  # fmt: skip
    """ValueError where a program is used on a platform for which it was not exported."""
    missing = [platform for platform in used_on if platform not in exported_for]
    if missing and DisabledSafetyCheck.platform() not in disabled:
        raise ValueError(
            f"Exported.call: {fun_name} was exported for the platforms {tuple(exported_for)}, and "
            f"is used on {shown(missing[0])}.\nGive export platforms={list(used_on)}, or "
            f"disabled_checks=[DisabledSafetyCheck.platform()]."
        )
