"""What JupyterLab leaves of a notebook that was opened, run with Shift-Enter, and saved."""

import nbformat


def save_as_jupyterlab(path):
    """Other metadata, counts and outputs, and an empty cell at the end; the same cells' text."""
    notebook = nbformat.read(path, as_version=4)
    notebook.metadata.language_info = {"name": "python", "version": "3.99", "mimetype": "x"}
    for number, cell in enumerate(notebook.cells):
        cell.metadata = {"trusted": True, "jupyter": {"outputs_hidden": False}}
        if cell.cell_type == "code":
            cell.execution_count = 2 * number
            cell.outputs = [nbformat.v4.new_output("stream", text="another")]
    notebook.cells.append(nbformat.v4.new_code_cell())
    nbformat.write(notebook, path)
