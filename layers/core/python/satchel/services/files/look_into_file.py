"""Read what a file says of itself before it becomes a file: from the store a few ranges of it, whatever its size."""

from satchel.domain.facts import read_facts
from satchel.domain.facts.peek import Peek
from satchel.domain.files import NewFile
from satchel.ports.file_store import FileStore


def look_into_stored(store: FileStore, new: NewFile) -> NewFile:
    """Return a file whose bytes are in the store with its facts. Raises FileNotFoundError where they are not."""
    return _told(new, Peek(new.size, lambda first, last: b"".join(store.chunks(new.key, first, last))))


def look_into_bytes(new: NewFile, body: bytes) -> NewFile:
    """Return a file whose bytes are at hand with its facts."""
    return _told(new, Peek(len(body), lambda first, last: body[first : last + 1]))


def _told(new: NewFile, peek: Peek) -> NewFile:
    return new.model_copy(update={"info": read_facts(peek, new.mime, new.name)})
