"""What stands before and after the chapters in the site's contents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from website.pages import Page

Part = dict[str, Any] | Page


def parts_before(root: Path) -> list[Part]:
    return []


def parts_after(root: Path) -> list[Part]:
    return []
