"""Open ZIP archives, which many kinds of documents are, and refuse those that unpack to far too much."""

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import Code, DocumentError

MAX_MEMBERS = 100_000
MAX_UNPACKED_BYTES = 512 << 20
MAX_RATIO = 200
"""More than this is a bomb: documents are compressed to a fiftieth at most."""

_ENCRYPTED = "the file is encrypted; ask the user for a copy without a password"
_SMALL = 16 << 20  # unpacked, any ratio is harmless


@contextmanager
def open_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open an archive for a list of its members. Raise DocumentError if it is damaged."""
    try:
        with zipfile.ZipFile(path) as archive:
            if len(archive.filelist) > MAX_MEMBERS:
                raise DocumentError(Code.TOO_LARGE, f"the archive has more than {MAX_MEMBERS:,} members")
            yield archive
    except (zipfile.BadZipFile, EOFError, NotImplementedError) as error:
        raise DocumentError(Code.DAMAGED, f"the file is damaged or cut off ({error})") from error
    except RuntimeError as error:  # also raised by reads, for a member with a password
        raise DocumentError(Code.ENCRYPTED, _ENCRYPTED) from error


def check_unpacked_size(path: Path) -> None:
    """Raise DocumentError if the members of an archive are encrypted, or unpack to more than a document can need."""
    with open_archive(path) as archive:
        members = archive.infolist()
    unpacked = sum(member.file_size for member in members)
    ratio = unpacked / max(path.stat().st_size, 1)
    if unpacked > MAX_UNPACKED_BYTES or (unpacked > _SMALL and ratio > MAX_RATIO):
        raise DocumentError(
            Code.TOO_LARGE,
            f"the file unpacks to {unpacked:,} bytes, {ratio:.0f} times its size; "
            f"{MAX_UNPACKED_BYTES >> 20} MB and {MAX_RATIO} times are allowed",
        )
    if any(member.flag_bits & 1 for member in members):
        raise DocumentError(Code.ENCRYPTED, _ENCRYPTED)
