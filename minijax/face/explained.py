"""Where the book explains an error: a note below its message, and the end of its class's docstring.

A section is a notebook and a heading in it, as JupyterLab and GitHub address them. The message
stays as it is: whoever compares or logs `str(error)` sees no address.
"""

from __future__ import annotations

from collections.abc import Callable

from minijax.core.errors import advisers

SECTIONS = {  # by the class's name: some classes stand in the library, which is not imported here
    "ConcretizationTypeError": "01-tracing.ipynb#Tracers",
    "InconclusiveDimensionOperation": "23-stages.ipynb#One-program-for-many-sizes",
    "JAXIndexError": "A-errors.ipynb#The-classes",
    "JAXTypeError": "A-errors.ipynb#The-classes",
    "JaxRuntimeError": "22-callbacks.ipynb#Any-function,-any-arguments",
    "JaxprTypeError": "07-staging.ipynb#Checking-one",
    "KeyReuseError": "12-prng.ipynb#What-does-using-a-key-twice-do?",
    "NonConcreteBooleanIndexError": "19-indexing.ipynb#Results-without-a-known-shape",
    "TracerArrayConversionError": "01-tracing.ipynb#Tracers",
    "TracerBoolConversionError": "20-control-flow.ipynb#What-one-writes",
    "TracerIntegerConversionError": "08-jitting.ipynb#Static-arguments",
    "TypePromotionError": "02-arrays.ipynb#How-dtypes-meet",
    "UnexpectedTracerError": "01-tracing.ipynb#A-tracer-that-got-away",
}


def where_explained(cls: type) -> str:
    """The sentence that says where the book explains an error's class; '' where it does not.

    >>> from minijax.errors import UnexpectedTracerError
    >>> where_explained(UnexpectedTracerError)
    'The book explains it: notebooks/01-tracing.ipynb#A-tracer-that-got-away'
    >>> where_explained(ValueError)
    ''
    """
    section = SECTIONS.get(cls.__name__) if cls.__module__.startswith("minijax.") else None
    return f"The book explains it: notebooks/{section}" if section else ""


def point_to_book(error: BaseException, fun: Callable | None) -> None:
    """Adds the sentence to an error on its way to the user."""
    sentence = where_explained(type(error))
    if sentence and sentence not in getattr(error, "__notes__", []):
        error.add_note(sentence)


advisers.append(point_to_book)
