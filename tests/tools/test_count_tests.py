"""`tools/count_tests.py`: fewer tests, failed tests and lost reports are found."""

import pytest

from count_tests import count_passed, main

REPORT = """<testsuites><testsuite name="pytest">
<testcase name="a"/><testcase name="b"/>
<testcase name="c"><skipped message="no"/></testcase>
{more}</testsuite></testsuites>
"""
FAILED = '<testcase name="d"><failure>no</failure></testcase>'


@pytest.fixture
def files(tmp_path):
    """A folder with the report of a run, two passed and one skipped, and the expected numbers."""
    (tmp_path / "unit.xml").write_text(REPORT.format(more=""))
    (tmp_path / "count.txt").write_text("unit 2\n")
    return tmp_path


def check(files, *options):
    return main([*options, str(files / "count.txt"), *map(str, sorted(files.glob("*.xml")))])


def test_passed_tests_are_counted(files):
    assert count_passed(files / "unit.xml") == (2, 0)
    (files / "unit.xml").write_text(REPORT.format(more=FAILED))
    assert count_passed(files / "unit.xml") == (2, 1)


def test_as_many_as_expected_pass(files, capsys):
    assert check(files) == 0
    assert capsys.readouterr().out == "unit: 2 passed, 0 failed\nall: 2 passed\n"


def test_fewer_fail(files, capsys):
    (files / "count.txt").write_text("unit 3\n")
    assert check(files) == 1
    assert capsys.readouterr().err == "unit: 2 tests passed, 3 are expected\n"


def test_a_failed_test_fails(files, capsys):
    (files / "unit.xml").write_text(REPORT.format(more=FAILED))
    assert check(files) == 1
    assert capsys.readouterr().err == "unit: 1 tests failed\n"


def test_a_lost_report_fails(files, capsys):
    (files / "count.txt").write_text("oracle 300\nunit 2\n")
    assert check(files) == 1
    assert capsys.readouterr().err == "oracle: no report, but 300 tests are expected\n"


def test_an_optional_report_may_be_missing_and_no_other(files, capsys):
    (files / "count.txt").write_text("oracle 300\nsite 40\nunit 2\n")
    assert check(files, "--optional", "site") == 1
    assert capsys.readouterr().err == "oracle: no report, but 300 tests are expected\n"
    assert check(files, "--optional", "site", "--optional", "oracle") == 0


def test_an_optional_report_that_is_there_is_counted(files, capsys):
    (files / "count.txt").write_text("unit 3\n")
    assert check(files, "--optional", "unit") == 1
    assert capsys.readouterr().err == "unit: 2 tests passed, 3 are expected\n"


def test_a_number_that_is_not_recorded_fails(files, capsys):
    (files / "count.txt").unlink()
    assert check(files) == 1
    assert "unit: no number is recorded" in capsys.readouterr().err


def test_recording_keeps_the_other_numbers(files):
    (files / "count.txt").write_text("oracle 300\nunit 5\n")
    assert check(files, "--record") == 1  # the oracle's report is still missing
    assert (files / "count.txt").read_text() == "oracle 300\nunit 2\n"
