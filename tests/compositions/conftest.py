import pytest

from minijax.core.printing import jaxprs_in_params
from minijax.core.staging import Jaxpr, check_jaxpr


@pytest.fixture
def every_jaxpr_typechecks(monkeypatch):
    """Checks each jaxpr that anything makes during the test, also those that nobody returns."""
    made = []
    init = Jaxpr.__init__

    def recording_init(jaxpr, *args, **kwargs):
        init(jaxpr, *args, **kwargs)
        made.append(jaxpr)

    monkeypatch.setattr(Jaxpr, "__init__", recording_init)
    yield
    monkeypatch.undo()
    # A jaxpr inside an equation is checked with the jaxpr around it.
    inside = {
        id(inner)
        for jaxpr in made for eqn in jaxpr.eqns for inner in jaxprs_in_params(eqn.params)
    }
    for jaxpr in made:
        if id(jaxpr) not in inside:
            check_jaxpr(jaxpr)
