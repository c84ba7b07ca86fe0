"""The page of JAX's names says what is here, and why the others are not."""

import importlib

import names


def test_the_page_is_what_the_package_has():
    assert names.PAGE.read_text(encoding="utf-8") == names.page()
    assert names.without_reason() == []


def test_a_name_is_missing_until_its_module_has_it(monkeypatch):
    module = importlib.import_module("minijax.lax")
    name = names.missing("lax")[0]
    assert f"`lax.{name}`" in names.page()
    monkeypatch.setattr(module, name, None, raising=False)
    assert name not in names.missing("lax") and f"`lax.{name}`" not in names.page()


def test_a_missing_name_without_a_reason_is_told(monkeypatch):
    monkeypatch.setattr(names, "REASONS", {})
    assert f"lax.{names.missing('lax')[0]}" in names.without_reason()
