"""What a user sees of an error in a script, in IPython and in a notebook: their own lines.

The numbers are bounds on what a reader goes through: frames, lines, and where their code stands.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import nbclient
import nbformat
import pytest

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHON_COLORS": "0"}
START = "import minijax as jax, minijax.numpy as jnp\n"
# Each fails in f, by the line "# wrong", which the line "# call" calls.
CASES = {
    "a wrong shape": """\
def f(x):
    y = jnp.sin(x)
    return jnp.sum(jnp.stack([y, y]) + jnp.ones(3))  # wrong

jax.jit(jax.vmap(jax.grad(f)))(jnp.ones(4))  # call
""",
    "the user's own": """\
def f(x):
    raise ValueError("no good")  # wrong

jax.jit(jax.vmap(jax.grad(f)))(jnp.ones(4))  # call
""",
    "a traced bool": """\
def f(x):
    return x if x > 0 else -x  # wrong

jax.jit(jax.vmap(jax.grad(f)))(jnp.ones(4))  # call
""",
    "nothing is traced": """\
def f(x):
    return x.reshape(2) + jnp.add(x, jnp.ones(3))  # wrong

f(jnp.ones(2))  # call
""",
}
WRONG_LINE = {name: case[: case.index("# wrong")].count("\n") + 1 for name, case in CASES.items()}
TRACED = {"a wrong shape", "a traced bool"}
IN_IPYTHON = """
import sys
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance(colors="nocolor")
for cell in sys.argv[1:]:
    shell.run_cell(cell, store_history=True)
    print("END OF CELL")
"""


def run_python(*arguments):
    """What Python prints, on either stream."""
    done = subprocess.run(
        [sys.executable, *arguments], env=ENVIRONMENT, capture_output=True, text=True
    )
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """A case's traceback in a script, in IPython and in a notebook: by these names, a dict."""
    folder, scripts = tmp_path_factory.mktemp("scripts"), {}
    for i, (name, case) in enumerate(CASES.items()):
        script = folder / f"script{i}.py"
        script.write_text(START + case)
        scripts[name] = run_python(str(script))
    outputs = run_python("-c", IN_IPYTHON, START, *CASES.values()).split("END OF CELL\n")[1:]
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for source in (START, *CASES.values())]
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        nbclient.NotebookClient(notebook, allow_errors=True, kernel_name="python3").execute()
    in_cells = ["\n".join(cell.outputs[-1].traceback) for cell in notebook.cells[1:]]
    return {
        "script": scripts,
        "IPython": dict(zip(CASES, outputs, strict=False)),
        "notebook": {
            name: re.sub(r"\x1b\[[\d;]*m", "", text)
            for name, text in zip(CASES, in_cells, strict=True)
        },
    }


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("where, most_lines", [("script", 14), ("IPython", 22), ("notebook", 22)])
def test_the_users_lines_are_all_that_is_shown(shown, where, most_lines, case):
    text = shown[where][case].rstrip()
    lines = text.split("\n")
    frames = re.findall(r"^(?:  File .*|File .*|Cell In.*)$", text, re.MULTILINE)
    assert len(frames) == 2 and "minijax/" not in text, text
    assert len(lines) <= most_lines and all(len(line) < 100 for line in lines), text
    calls = [i for i, line in enumerate(lines) if line.endswith("# call")]
    wrong = [i for i, line in enumerate(lines) if line.endswith("# wrong")]
    assert 0 < min(calls) <= 8 and max(calls) < max(wrong), text
    message = [i for i, line in enumerate(lines) if re.match(r"[\w.]+Error: ", line)]
    assert len(message) == 1 and message[0] - max(wrong) <= 3, text
    assert "During handling" not in text and "direct cause" not in text


@pytest.mark.parametrize("where", ["script", "IPython", "notebook"])
@pytest.mark.parametrize("case", CASES)
def test_a_message_of_ours_names_the_line_where_it_was_traced(shown, case, where):
    """A cell goes by its number, and not by the file that IPython makes of it."""
    here = [line for line in shown[where][case].split("\n") if "  here: " in line]
    if case not in TRACED:
        assert not here
    elif where == "script":
        (line,) = here
        assert re.fullmatch(rf"  here: /.*/script\d\.py:{WRONG_LINE[case] + 1} in f", line)
    else:
        cell = list(CASES).index(case) + 2
        assert here == [f"  here: Cell In[{cell}], line {WRONG_LINE[case]} in f"]


def test_classes_and_functions_go_by_names_that_a_user_knows(shown):
    assert "\nminijax.errors.TracerBoolConversionError: " in shown["script"]["a traced bool"]
    assert "\n  traced: f at Cell In[4], line 1, traced" in shown["notebook"]["a traced bool"]
