"""`jax.experimental.sparse`: the class of its arrays, for whoever asks whether a value is one."""

from __future__ import annotations

from typing import Any, NoReturn

from minijax.core.errors import api_boundary


class BCOO:
    """An array of which the entries that are not zero are kept. None is made here."""

    @api_boundary
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _refuse()

    @classmethod
    @api_boundary
    def fromdense(cls, mat: Any, **kwargs: Any) -> NoReturn:
        _refuse()

    @classmethod
    @api_boundary
    def from_scipy_sparse(cls, mat: Any, **kwargs: Any) -> NoReturn:
        _refuse()


def _refuse() -> NoReturn:
    raise NotImplementedError("There are no sparse arrays here, and so no BCOO. Use dense ones.")
