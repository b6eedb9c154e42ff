"""Replace the file names in a tool call's arguments with paths in the workspace, or with URLs, for the tool to open."""

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from satchel.contract import numbered_name
from satchel.contract.errors import FileNotFound, FileTooLarge, ToolFailed
from satchel.domain import arguments as args
from satchel.domain.calls import Call, InputVersion
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
MAX_EMBEDDED_BYTES = 20 << 20
"""Maximum size of all files whose content is part of a call's arguments.

The runner holds the content in memory while it sends it: measured, 6.3 times its size.
"""

_NO_TRANSFER = (
    'The tool takes files by upload only (SEP-2631). Ask the operator of Satchel to set `"file_transfer": true` in the '
    "server's entry in mcp.json"
)
_MAX_SUGGESTED_FROM = 200  # number of files that are searched for names similar to an unknown file name


@dataclass
class ResolvedInputs:
    """A tool's arguments, its input files with their total size, and similar names for ``unresolved`` file names.

    ``embedded`` are the arguments in which the runner replaces a file's path with its content or address. ``versions``
    are the versions of all files that the arguments name.
    """

    arguments: dict[str, Any]
    inputs: list[InputFile] = field(default_factory=list)
    unresolved: dict[str, list[str]] = field(default_factory=dict)
    bytes: int = 0
    embedded: dict[str, args.FileForm] = field(default_factory=dict)
    versions: list[InputVersion] = field(default_factory=list)


@dataclass(frozen=True)
class ResolveInputs:
    """Find the files that a tool call's arguments name, and replace the names with paths or URLs."""

    files: Files
    store: FileStore
    links: MintLinks
    clock: Clock
    max_input_bytes: int
    persist_files_across_sessions: bool

    def __call__(
        self, call: Call, tool: ToolSpec, entry: ServerEntry, arguments: dict[str, Any], max_seconds: float
    ) -> ResolvedInputs:
        """Replace file names in ``arguments`` with paths or URLs. The URLs are valid for ``max_seconds``.

        Raise FileTooLarge, or the contract's FileNotFound if a file is missing and the server has ``strict_files`` set.
        """
        forms = args.file_forms(tool, entry.file_arguments_of(tool.name), has_transfer=entry.file_transfer)
        names = [name for name in args.list_file_names(forms, arguments) if not args.is_server_file(name)]
        records, unresolved = self._find(call, names)
        if unresolved and entry.strict_files:
            raise FileNotFound(list(unresolved), [name for names in unresolved.values() for name in names])
        arguments = args.fill_original_names(tool, arguments, lambda v: records[v].name if v in records else v)
        distinct = {record.file_key: record for record in records.values()}
        size = sum(record.size for record in distinct.values())
        versions = [InputVersion.of(record) for record in distinct.values()]
        stored_names = _distinct_names(records)
        is_linked = entry.file_mode_for(tool.name) == "url"
        urls: dict[str, str] = {}
        inputs: dict[str, InputFile] = {}
        embedded_bytes = 0

        def replacement(name: str, *, form: args.FileForm) -> str | dict[str, str]:
            record = records.get(name)
            if record is None:
                return name
            if form == "object" or (form == "file" and is_linked):
                urls[name] = urls.get(name) or self.links.for_tool(record, max_seconds)
                return _file_object(record, urls[name]) if form == "object" else urls[name]
            if form == "upload" and not entry.file_transfer:
                raise ToolFailed(f"The file {record.name} cannot be sent to the tool's server", suggestion=_NO_TRANSFER)
            if form in args.EMBEDDED_FORMS:
                nonlocal embedded_bytes
                embedded_bytes += record.size
                if embedded_bytes > MAX_EMBEDDED_BYTES:
                    raise _too_large(record, MAX_EMBEDDED_BYTES)
            inputs[record.file_key] = inputs.get(record.file_key) or self._input(record, stored_names[record.file_key])
            path = input_path(call.user, stored_names[record.file_key])
            return f"file://{quote(path)}" if form == "uri" else path

        replaced = args.replace_file_names(forms, arguments, replacement)
        embedded = {argument: form for argument, form in forms.items() if form in args.RUNNER_FORMS}
        embedded = embedded if inputs else {}
        return ResolvedInputs(replaced, list(inputs.values()), unresolved, size, embedded, versions)

    def _find(self, call: Call, values: list[str]) -> tuple[dict[str, FileRecord], dict[str, list[str]]]:
        """Return the file record for each name in ``values``, and similar file names for each name without a file."""
        now = self.clock.now()
        persist = self.persist_files_across_sessions
        found = {
            value: find_file(self.files, call.user, call.session_id, value, now, across_sessions=persist)
            for value in values
        }
        records = {value: record for value, record in found.items() if record is not None}
        missing = [value for value, record in found.items() if record is None]
        candidates = self._names(call) if missing else []
        return records, {value: args.find_similar_names(value, candidates) for value in missing}

    def _names(self, call: Call) -> list[str]:
        page = self.files.list(call.user, _MAX_SUGGESTED_FROM, None, FileFilter(session_id=call.session_id))
        return [file.name for file in page.items]

    def _input(self, record: FileRecord, name: str) -> InputFile:
        if record.size > self.max_input_bytes:
            raise _too_large(record, self.max_input_bytes)
        url = self.store.presign_get(record.key, _DOWNLOAD_SECONDS)
        return InputFile(name=name, url=url, size=record.size, etag=f"{record.file_key}-{record.version}")


def _file_object(record: FileRecord, url: str) -> dict[str, str]:
    return {
        "download_url": url,
        "file_id": record.file_key,
        "mime_type": record.mime,
        "file_name": record.name,
    }


def _too_large(record: FileRecord, limit: int) -> FileTooLarge:
    return FileTooLarge(
        file_size_bytes=record.size,
        current_limit_bytes=limit,
        message=f"The file {record.name} is too large for this tool's environment",
        suggestion="Use a smaller file or a part of it",
    )


def _distinct_names(records: dict[str, FileRecord]) -> dict[str, str]:
    """Return a unique name for each file key. If files of different sessions have the same name, append a number."""
    names: dict[str, str] = {}
    for record in records.values():
        name, count = record.name, 1
        while name in names.values() and names.get(record.file_key) != name:
            count += 1
            name = numbered_name(record.name, count)
        names.setdefault(record.file_key, name)
    return names
