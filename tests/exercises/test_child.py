"""A child evaluates cases: what fails in one group of them is no other's."""

from pathlib import Path

from exercises import child


def test_setup_that_fails_is_the_fact_of_its_own_cases(tmp_path: Path, monkeypatch):
    told = []
    monkeypatch.setenv("MINIJAX_JIT_BACKEND", "numpy")  # what `run` sets, so that it is put back
    monkeypatch.setattr(child, "namespace", lambda job: {"jax": __import__("minijax")})
    monkeypatch.setattr(child, "forget_package", lambda: None)
    groups = [
        {"setup": "x = 1", "cases": [(0, "x"), (1, "y")]},
        {"setup": "x = 1 / 0", "cases": [(2, "1")]},
        {"setup": "", "cases": [(3, "2")]},
    ]
    job = {"task": "77.1", "root": str(tmp_path), "file": "", "backend": "numpy", "groups": groups}
    child.run(job, told.append)
    facts = {each["case"]: each["fact"] for each in told}
    assert [facts[0]["value"], facts[3]["value"]] == [1, 2]
    assert [facts[1]["raises"][0], facts[2]["raises"][0]] == ["NameError", "ZeroDivisionError"]
