"""Makes `pytest --nbval -p strict_nbval` strict about what nbval would let pass.

A cell may opt out of the comparison (a tag or comment of nbval's) only where exempt-cells.txt,
beside this file, names it.
"""

from pathlib import Path

import nbval.kernel
from nbval.kernel import RunningKernel
from nbval.plugin import IPyNbCell

from nbfile import read_exempt_cells

FOLDER = Path(__file__).parent


def start_kernel(*arguments, **options):
    """Starts a kernel, and another if the first dies before it answers.

    A kernel's ports are found to be free before it starts and are bound by it a second later; it
    dies if any other process of this machine has taken one of them meanwhile.
    """
    try:
        return start_one_kernel(*arguments, **options)
    except RuntimeError:
        return start_one_kernel(*arguments, **options)


def execute_as_a_reader_does(kernel, cell_input, allow_stdin=None):
    """Executes a cell with history, so that counts run on and a last `;` hides a value."""
    return kernel.kc.execute(
        cell_input, store_history=True, allow_stdin=allow_stdin, stop_on_error=False
    )


def image_types(outputs) -> list[list[str]]:
    """Returns the types of the pictures in each output that has any."""
    found = [
        sorted(kind for kind in output.get("data", {}) if kind.startswith("image/"))
        for output in outputs
    ]
    return [kinds for kinds in found if kinds]


def check_state(cell) -> None:
    """Fails a cell that was not run, was not run from the top, or opts out without being listed."""
    compared = cell.options["check"] and not cell.options["skip"]
    if not compared and cell.cell.get("id") not in read_exempt_cells(FOLDER):
        cell.raise_cell_error("opts out of the comparison, but exempt-cells.txt lacks it")
    if not cell.cell.source.strip():
        cell.raise_cell_error("the cell is empty")
    count = cell.cell.execution_count
    if count is None:
        cell.raise_cell_error("the cell was never run: python tools/notebooks.py run")
    if count != cell.cell_num + 1:
        cell.raise_cell_error(
            f"the stored count is {count}, the cell's place is {cell.cell_num + 1}: "
            "run the notebook from the top"
        )


def run_strictly(cell) -> None:
    check_state(cell)
    run_cell(cell)


def compare_with_pictures(cell, test, ref, skip_compare=None) -> bool:
    """Compares as nbval does, and the pictures' types, which it never looks at."""
    if not compare_outputs(cell, test, ref, skip_compare):
        return False
    stored, fresh = image_types(ref), image_types(test)
    if stored != fresh:
        cell.comparison_traceback.append(f"pictures stored: {stored}, drawn now: {fresh}")
        return False
    return True


start_one_kernel = nbval.kernel.start_new_kernel
nbval.kernel.start_new_kernel = start_kernel
run_cell, compare_outputs = IPyNbCell.runtest, IPyNbCell.compare_outputs
IPyNbCell.runtest, IPyNbCell.compare_outputs = run_strictly, compare_with_pictures
RunningKernel.execute_cell_input = execute_as_a_reader_does
