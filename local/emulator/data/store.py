"""Connect the emulated table and bucket to the data folder."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from moto.dynamodb.models import dynamodb_backends
from moto.s3.models import s3_backends

from local.emulator.aws.cloud import ACCOUNT, REGION
from local.emulator.aws.moto_patches import dynamodb_transactions, s3_objects
from local.emulator.data.folder import DataFolder
from local.emulator.data.items import ItemLog, load_items
from local.emulator.data.objects import ObjectLog

_SELECT_SECRET = "SELECT value FROM secrets WHERE name = ?"  # noqa: S105  (a query)


@contextmanager
def open_store(path: Path | None) -> Iterator["DataStore"]:
    """Open the data folder, or keep all data in memory if ``path`` is None. Raise DataFolderError as ``DataFolder``.

    At the end, no further write is recorded, and the folder is free for another process.
    """
    if path is None:
        yield DataStore(None)
        return
    with DataFolder(path) as folder:
        try:
            yield DataStore(folder)
        finally:
            dynamodb_transactions.set_log(None)
            s3_objects.set_log(None)


class DataStore:
    """Loads the data of the folder into the emulated AWS, and records all later changes. It needs no folder."""

    def __init__(self, folder: DataFolder | None) -> None:
        self._folder = folder

    def attach(self, table: str, bucket: str) -> None:
        """Load the items and objects into the new table and bucket, and record their changes from now on."""
        if self._folder is None:
            return
        load_items(self._folder, dynamodb_backends[ACCOUNT][REGION].get_table(table))
        objects = ObjectLog(self._folder, s3_backends[ACCOUNT]["aws"], bucket)
        objects.load()
        dynamodb_transactions.set_log(ItemLog(self._folder))
        s3_objects.set_log(objects)

    @property
    def is_synchronized(self) -> bool:
        """Return True if all data that are recorded are on the disk."""
        return self._folder is None or self._folder.is_synchronized

    def synchronize(self) -> None:
        """Return when all data that are recorded are on the disk."""
        if self._folder:
            self._folder.synchronize()

    def secret(self, name: str, create: Callable[[], str]) -> str:
        """Return the secret of this name. If there is none, create and store it."""
        if self._folder is None:
            return create()
        for (value,) in self._folder.read(_SELECT_SECRET, (name,)):
            return str(value)
        value = create()
        self._folder.write([("INSERT INTO secrets VALUES (?, ?)", (name, value))])
        return value
