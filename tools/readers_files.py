"""The files of the Lab that `make learn` opens: in notebooks/, the book's own, read-only."""

from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager


class ReadersFiles(AsyncLargeFileManager):
    """Files as JupyterLab knows them, where it doesn't save what the tests compare.

    A link in README.md leads to notebooks/; the reader's own copy is in work/.
    """

    def is_writable(self, path: str) -> bool:
        return not path.strip("/").startswith("notebooks/") and super().is_writable(path)
