"""Tokens: values with nothing in them, which put operations in order.

One that takes a token and gives a token comes after what made the one, and before what takes the
other.
"""

from __future__ import annotations

from typing import Any, NoReturn

from minijax.compiler.lowerings import register_lowering
from minijax.core.tracing import AbstractValue, Primitive, pytype_aval_mappings, typeof


class AbstractToken(AbstractValue):
    """The type of tokens: there is one, and it is its own tangent type."""

    def to_tangent_aval(self) -> AbstractToken:
        return self

    def str_short(self, short_dtypes: bool = False) -> str:
        return "Tok"

    def __repr__(self) -> str:
        return "AbstractToken()"

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"A token has no {name}: there is nothing in it. Give an array.")


class Token:
    """A token. What it stands for is done already where operations run one after the other."""

    __slots__ = ()

    def block_until_ready(self) -> None:
        """Returns at once."""


abstract_token = AbstractToken()
pytype_aval_mappings[Token] = lambda token: abstract_token


def _after_all_rule(*tokens: AbstractValue) -> AbstractToken:
    for aval in tokens:
        if aval is not abstract_token:
            raise TypeError(
                f"lax.after_all takes tokens, and got {aval}. Make one by lax.create_token()."
            )
    return abstract_token


create_token_p = Primitive("create_token")
create_token_p.def_impl(Token)
create_token_p.def_abstract_eval(lambda: abstract_token)

after_all_p = Primitive("after_all")
after_all_p.def_abstract_eval(_after_all_rule)


@after_all_p.def_impl
def _after_all_impl(*tokens: Any) -> Token:
    _after_all_rule(*map(typeof, tokens))
    return Token()


for _primitive in (create_token_p, after_all_p):
    register_lowering(_primitive, opaque=True)  # what makes a token stays in its place


def create_token(_: Any = None) -> Any:
    """A token that nothing comes before. The argument is ignored.

    >>> typeof(create_token())
    AbstractToken()
    """
    return create_token_p.bind()


def after_all(*operands: Any) -> Any:
    """One token that stands for several: it comes after all of them.

    TypeError for an operand that is no token.

    >>> typeof(after_all(create_token(), create_token()))
    AbstractToken()
    """
    return after_all_p.bind(*operands)
