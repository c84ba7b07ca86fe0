"""`tools/learn.py`: what it says before JupyterLab starts, and the JupyterLab that it starts."""

import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

import learn

STUB = "exercises/ch05_forward/exercise.py"
TOOLS = Path(learn.__file__).parent
START_IN = """
import sys
from pathlib import Path
import learn
learn.ROOT = Path(sys.argv[1])
sys.exit(learn.main(sys.argv[2:]))
"""


@pytest.mark.parametrize("environ, platform, answer", [
    ({}, "linux", False),
    ({"DISPLAY": ""}, "linux", False),
    ({"DISPLAY": ":0"}, "linux", True),
    ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
    ({"BROWSER": "/opt/open-here"}, "linux", True),
    ({}, "darwin", True),
])  # fmt: skip
def test_where_a_window_can_open(environ, platform, answer):
    assert learn.has_browser(environ, platform) is answer


def test_root_is_told_what_to_add(tree, monkeypatch, capsys):
    monkeypatch.setattr(learn, "ROOT", tree.root)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert learn.main(["--port=9000"]) == 1
    assert "make learn JUPYTER_FLAGS=--allow-root" in capsys.readouterr().err
    assert not (tree.root / "work").exists()


def test_the_readers_own_configuration_stays_in_the_path():
    environ = learn.lab_environ(Path("/book"), {"JUPYTER_CONFIG_PATH": "/mine"})
    assert environ["JUPYTER_CONFIG_PATH"].split(os.pathsep) == [str(TOOLS / "lab"), "/mine"]


class Lab:
    """A JupyterLab on a made-up book, on a machine without a screen."""

    def __init__(self, root, home):
        self.root = root
        environ = {k: v for k, v in os.environ.items() if k not in learn.SCREENS}
        environ |= {"HOME": str(home), "JUPYTER_CONFIG_DIR": str(home), "PYTHONPATH": str(TOOLS)}
        self.process = subprocess.Popen(
            [sys.executable, "-c", START_IN, str(root), "--allow-root"],
            cwd=root, env=environ, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        timer = threading.Timer(60, self.process.kill)
        timer.start()
        self.said = ""
        for line in self.process.stdout:
            self.said += line
            if address := re.search(r"http://127\.0\.0\.1:\S+", line):
                self.address = address[0]
                break
        timer.cancel()
        self.wait_until_it_answers()

    def wait_until_it_answers(self):
        for _ in range(100):
            try:
                return self.get("api/status")
            except urllib.error.URLError:  # it prints its address a moment before it listens
                time.sleep(0.1)
        raise AssertionError(self.said)

    def get(self, path):
        server, token = re.match(r"(http://[^/]+).*(\?token=\w+)", self.address).groups()
        with urllib.request.urlopen(f"{server}/{path}{token}", timeout=30) as answer:
            return json.load(answer)

    def send(self, method, path, body):
        server, token = re.match(r"(http://[^/]+).*\?token=(\w+)", self.address).groups()
        request = urllib.request.Request(
            f"{server}/{path}", data=json.dumps(body).encode(), method=method,
            headers={"Authorization": f"token {token}"},
        )  # fmt: skip
        urllib.request.urlopen(request, timeout=30).close()


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    root = tmp_path_factory.mktemp("root")
    for path in ("notebooks/00-tour.ipynb", "notebooks/SUMMARY.md", "minijax/core/forward.py",
                 "exercises/ch05_forward/tasks.toml", STUB):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("{}")
    lab = Lab(root, tmp_path_factory.mktemp("home"))
    yield lab
    lab.process.kill()
    lab.process.communicate()


@pytest.mark.prove
def test_it_prints_an_address_that_leads_to_chapter_00(lab):
    assert "there is no screen here, so open the address below" in lab.said
    assert re.fullmatch(
        r"http://127\.0\.0\.1:\d+/lab/tree/work/00-tour\.ipynb\?token=\w+", lab.address
    )
    with urllib.request.urlopen(lab.address, timeout=30) as answer:
        assert answer.status == 200 and "JupyterLab" in answer.read().decode()


def test_its_folder_is_the_copy_beside_the_package(lab):
    listed = lab.get("api/contents/work")["content"]
    assert {item["name"] for item in listed} == {"00-tour.ipynb", "SUMMARY.md", "exercises"}
    assert lab.get("api/contents/minijax/core/forward.py")["content"] == "{}"


def test_the_books_own_files_are_read_only(lab):
    writable = {
        path: lab.get(f"api/contents/{path}")["writable"]
        for path in (
            "work/SUMMARY.md", "notebooks/SUMMARY.md", "minijax/core/forward.py",
            f"work/{STUB}", STUB,
        )
    }
    assert writable == {
        "work/SUMMARY.md": True, "notebooks/SUMMARY.md": False, "minijax/core/forward.py": True,
        f"work/{STUB}": True, STUB: False,
    }  # fmt: skip


def test_markdown_opens_rendered(lab):
    plugin = lab.get("lab/api/settings/@jupyterlab/docmanager-extension:plugin")
    assert plugin["schema"]["properties"]["defaultViewers"]["default"] == {
        "markdown": "Markdown Preview"
    }
    assert plugin["settings"] == {}  # the reader's own, which go first


def test_its_tabs_are_kept_in_the_copy(lab):
    body = {"data": {}, "metadata": {"id": "default"}}
    lab.send("PUT", "lab/api/workspaces/default", body)
    assert list((lab.root / "work/.workspaces").glob("default*"))


def test_a_file_that_was_opened_leaves_its_checkpoint_in_the_copy(lab):
    """JupyterLab makes one on opening; beside the package, it would count as one of its files."""
    lab.send("POST", "api/contents/minijax/core/forward.py/checkpoints", {})
    assert [path.name for path in (lab.root / "minijax").rglob("*")] == ["core", "forward.py"]
    made = {path.name for path in (lab.root / "work/.checkpoints").iterdir()}
    assert "checkpoint minijax core forward.py" in made
