"""Random programs in which minijax knowingly differs from JAX, by what they hold, with reasons."""


def is_known(program, difference: str) -> str | None:
    """The reason why a program may differ so, or None."""
    return None
