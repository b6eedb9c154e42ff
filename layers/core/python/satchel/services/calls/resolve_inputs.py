"""Turn the files that a model names into what the tool can open: a path, or an address (spec 3 §3, spec 2 §4)."""

from dataclasses import dataclass, field
from typing import Any

from satchel.contract import numbered_name
from satchel.contract.errors import FileNotFound, FileTooLarge
from satchel.domain import arguments as args
from satchel.domain.calls import Call
from satchel.domain.conversation import ToolSpec
from satchel.domain.files import FileFilter, FileRecord
from satchel.domain.object_keys import input_path
from satchel.domain.servers import ServerEntry
from satchel.ports.files import Files
from satchel.ports.runners import InputFile
from satchel.ports.storage import FileStore
from satchel.ports.system import Clock
from satchel.services.files.links import MintLinks
from satchel.services.files.read_files import find_file

_DOWNLOAD_SECONDS = 900
_MAX_NEAR = 200


@dataclass
class ResolvedInputs:
    """The arguments as the tool gets them, the files to bring, the values that are no known file; ``bytes`` of all."""

    arguments: dict[str, Any]
    inputs: list[InputFile] = field(default_factory=list)
    unresolved: dict[str, list[str]] = field(default_factory=dict)
    bytes: int = 0


@dataclass(frozen=True)
class ResolveInputs:
    """Looks the named files up and says where the tool finds them."""

    files: Files
    store: FileStore
    links: MintLinks
    clock: Clock
    max_input_bytes: int

    def __call__(
        self, call: Call, tool: ToolSpec, entry: ServerEntry, arguments: dict[str, Any], max_seconds: float
    ) -> ResolvedInputs:
        """Replace the named files in the arguments; addresses are good for as long as the call may last.

        Raises FileNotFound (strict servers) and FileTooLarge (contract errors).
        """
        found, unresolved = self._find(call, args.named_files(tool, arguments))
        if unresolved and entry.strict_files:
            raise FileNotFound(list(unresolved), [near for names in unresolved.values() for near in names])
        arguments = args.tell_names(tool, arguments, lambda v: found[v].name if v in found else v)
        size = sum({record.file_key: record.size for record in found.values()}.values())
        if entry.files_for(tool.name) == "url":
            places = {value: self.links.for_tool(record, max_seconds) for value, record in found.items()}
            return ResolvedInputs(args.replace_files(tool, arguments, lambda v: places.get(v, v)), [], unresolved, size)
        names = _distinct_names(found)
        inputs = {record.file_key: self._input(record, names[record.file_key]) for record in found.values()}
        places = {value: input_path(call.user, names[record.file_key]) for value, record in found.items()}
        replaced = args.replace_files(tool, arguments, lambda v: places.get(v, v))
        return ResolvedInputs(replaced, list(inputs.values()), unresolved, size)

    def _find(self, call: Call, values: list[str]) -> tuple[dict[str, FileRecord], dict[str, list[str]]]:
        now = self.clock.now()
        looked_up = {value: find_file(self.files, call.user, call.session_id, value, now) for value in values}
        found = {value: record for value, record in looked_up.items() if record is not None}
        missing = [value for value, record in looked_up.items() if record is None]
        known = self._names(call) if missing else []
        return found, {value: args.nearest(value, known) for value in missing}

    def _names(self, call: Call) -> list[str]:
        """Return names among which the nearest are looked for: of so many files, however many there are."""
        page = self.files.list(call.user, _MAX_NEAR, None, FileFilter(session_id=call.session_id))
        return [file.name for file in page.items]

    def _input(self, record: FileRecord, name: str) -> InputFile:
        if record.size > self.max_input_bytes:
            raise FileTooLarge(
                file_size_bytes=record.size,
                current_limit_bytes=self.max_input_bytes,
                message=f"The file {record.name} is too large for this tool's environment",
                suggestion="Use a smaller file or a part of it",
            )
        url = self.store.link(record.key, _DOWNLOAD_SECONDS)
        return InputFile(name=name, url=url, size=record.size, etag=f"{record.file_key}-{record.version}")


def _distinct_names(found: dict[str, FileRecord]) -> dict[str, str]:
    """Two files of one name (from two sessions) get two places."""
    names: dict[str, str] = {}
    for record in found.values():
        name, count = record.name, 1
        while name in names.values() and names.get(record.file_key) != name:
            count += 1
            name = numbered_name(record.name, count)
        names.setdefault(record.file_key, name)
    return names
