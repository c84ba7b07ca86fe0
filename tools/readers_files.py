"""The files of the Lab that `make learn` opens: what is read there leaves no trace in the book."""

from pathlib import Path

from jupyter_server.services.contents.filecheckpoints import AsyncFileCheckpoints
from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager


class ReadersCheckpoints(AsyncFileCheckpoints):
    """JupyterLab makes a checkpoint of each file that is opened: here, below work/.

    Beside a file of the package, it would count as one of the package's files.
    """

    def checkpoint_path(self, checkpoint_id: str, path: str) -> str:
        folder = Path(self.root_dir, "work", ".checkpoints")
        folder.mkdir(parents=True, exist_ok=True)
        return str(folder / f"{checkpoint_id} {path.strip('/').replace('/', ' ')}")


class ReadersFiles(AsyncLargeFileManager):
    """Files as JupyterLab knows them, where it doesn't save what the tests compare.

    A link in README.md leads to notebooks/ or exercises/; the reader's own copy is in work/.
    """

    def _checkpoints_class_default(self) -> type:
        return ReadersCheckpoints

    def is_writable(self, path: str) -> bool:
        of_the_book = path.strip("/").startswith(("notebooks/", "exercises/"))
        return not of_the_book and super().is_writable(path)
