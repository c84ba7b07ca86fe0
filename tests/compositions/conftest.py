import pytest

from minijax.core import staging
from minijax.core.staging import Jaxpr, JaxprEqn, _check_eqn, _check_jaxpr


@pytest.fixture
def every_jaxpr_typechecks(monkeypatch):
    """Checks each jaxpr that anything makes during the test, also those that nobody returns.

    An equation, which no pass changes but by a new one, is checked once.
    """
    made: list[Jaxpr] = []
    checked: dict[int, JaxprEqn] = {}  # by id; the equation is kept alive
    init = Jaxpr.__init__

    def recording_init(jaxpr, *args, **kwargs):
        init(jaxpr, *args, **kwargs)
        made.append(jaxpr)

    def check_once(eqn, seen):
        if id(eqn) not in checked:
            _check_eqn(eqn, seen)
            checked[id(eqn)] = eqn

    monkeypatch.setattr(Jaxpr, "__init__", recording_init)
    monkeypatch.setattr(staging, "_check_eqn", check_once)
    yield
    monkeypatch.setattr(Jaxpr, "__init__", init)
    seen: set[Jaxpr] = set()  # one that several equations carry is checked once
    for jaxpr in made:
        _check_jaxpr(jaxpr, seen)
