"""Counts the tests that passed, so that tests cannot vanish unseen.

    python tools/count_tests.py EXPECTED REPORT.xml ...             check
    python tools/count_tests.py --record EXPECTED REPORT.xml ...    write the numbers down

The reports are pytest's (`--junitxml`). EXPECTED holds one line for each, with the report's name
and the number of tests that passed: `unit 1234`. The status is 1 where fewer passed than that, a
test failed, or a report that EXPECTED names is missing. `--optional site` lets that one be missing,
where its tests cannot run.
"""

import argparse
import sys
from pathlib import Path
from xml.etree import ElementTree


def count_passed(report: Path) -> tuple[int, int]:
    """Returns how many tests of a report passed, and how many failed."""
    passed = failed = 0
    for case in ElementTree.parse(report).iter("testcase"):
        outcomes = {child.tag for child in case}
        failed += bool(outcomes & {"failure", "error"})
        passed += not outcomes & {"failure", "error", "skipped"}
    return passed, failed


def read_expected(path: Path) -> dict[str, int]:
    lines = path.read_text(encoding="utf-8").split("\n") if path.exists() else []
    return {line.split()[0]: int(line.split()[1]) for line in lines if line.strip()}


def check_counts(
    expected: dict[str, int], counts: dict[str, tuple[int, int]], optional: list[str]
) -> list[str]:
    """Returns one sentence for each report in which something is missing."""
    failures = []
    for name, least in expected.items():
        if name not in counts:
            if name not in optional:
                failures.append(f"{name}: no report, but {least} tests are expected")
        elif counts[name][0] < least:
            failures.append(f"{name}: {counts[name][0]} tests passed, {least} are expected")
    for name, (_, failed) in counts.items():
        if failed:
            failures.append(f"{name}: {failed} tests failed")
        if name not in expected:
            failures.append(f"{name}: no number is recorded for it (--record writes it down)")
    return failures


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--record", action="store_true", help="write the numbers down")
    parser.add_argument("--optional", action="append", default=[], metavar="REPORT",
                        help="one that may be missing")  # fmt: skip
    parser.add_argument("expected", type=Path)
    parser.add_argument("reports", type=Path, nargs="*")
    options = parser.parse_args(arguments)

    counts = {report.stem: count_passed(report) for report in options.reports}
    if options.record:
        recorded = read_expected(options.expected) | {n: c[0] for n, c in counts.items()}
        text = "".join(f"{name} {number}\n" for name, number in sorted(recorded.items()))
        options.expected.write_text(text, encoding="utf-8")
    failures = check_counts(read_expected(options.expected), counts, options.optional)
    for name, (passed, failed) in counts.items():
        print(f"{name}: {passed} passed, {failed} failed")
    print(f"all: {sum(passed for passed, _ in counts.values())} passed")
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
