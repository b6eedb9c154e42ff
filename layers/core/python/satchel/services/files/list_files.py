"""The tool ``satchel.list_files``: how a model asks for files that its context leaves out."""

from dataclasses import dataclass
from typing import Any

from satchel.contract.errors import InvalidArguments
from satchel.domain.calls import Call, Outcome
from satchel.domain.errors import InvalidRequest
from satchel.domain.files import FileRecord, Source, expired
from satchel.domain.my_files import FileFilter
from satchel.domain.own_tools import FILES_A_PAGE
from satchel.domain.prompt import human_size
from satchel.ports.catalog import Files
from satchel.ports.clock import Clock


@dataclass(frozen=True)
class ListFiles:
    """Answers with a page of the caller's own files: names and facts, no key and no link."""

    files: Files
    clock: Clock

    def __call__(self, call: Call, arguments: dict[str, Any]) -> Outcome:
        """Return the page; the arguments fit the tool's schema. Raises InvalidArguments for a cursor of no list."""
        wanted = FileFilter(
            session_id=call.session_id if arguments.get("this_session") else None,
            source=Source(arguments["source"]) if "source" in arguments else None,
            name_prefix=arguments.get("name_prefix", ""),
        )
        try:
            page = self.files.list(call.user, FILES_A_PAGE, arguments.get("cursor"), wanted)
        except InvalidRequest as error:
            raise InvalidArguments([f"cursor: {error.message}"]) from error
        now = self.clock.now()
        files = [_told(record) for record in page.items if not expired(record, now)]
        return Outcome(results={"files": files} | ({"cursor": page.cursor} if page.cursor else {}))


def _told(record: FileRecord) -> dict[str, Any]:
    told = {
        "name": record.name,
        "source": record.source.value,
        "created": f"{record.created_at:%Y-%m-%d}",
        "size": human_size(record.size),
        "mime": record.mime,
        "category": record.category,
        "description": record.description,
        "info": record.info.model_dump(),
        "status": record.status,
        "next_actions": record.next_actions,
        "expires_at": record.expires_at,
    }
    return {name: value for name, value in told.items() if value}
