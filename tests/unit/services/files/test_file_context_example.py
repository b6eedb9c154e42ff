"""The example of the file context in the specification, from files that were really uploaded and stored."""

import io
import re
import zipfile
from collections.abc import Iterator

import pytest

from satchel.domain.calls import RunnerReport
from satchel.domain.conversation import UserMessage
from satchel.domain.files import FileRecord
from satchel.domain.sessions import Session
from satchel.ports.storage import StoredObject
from tests.fakes.storage import FakeFileStore
from tests.unit.services.samples import ALICE
from tests.unit.services.world import World

QUESTION = "Analyze my sales data and create a summary report"
EXAMPLE = """Analyze my sales data and create a summary report

[SYSTEM: Available files in current session:
- sales_data.csv (uploaded 2024-08-27, 2.1GB, 5M rows)
- customer_segments.xlsx (uploaded 2024-08-25, 15MB)
- previous_analysis.html (generated 2024-08-26, 850KB)
- draft_report.docx (deferred, needs editing)
End available files]"""
ROW = b"2024-08-27,north,bolt," + b"9" * 397 + b"\n"


class HugeFileStore(FakeFileStore):
    """Return generated rows for objects that are too large for a test."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes: dict[str, int] = {}
        self.fetched = 0

    def head(self, key: str) -> StoredObject | None:
        if key in self.sizes:
            return StoredObject(key=key, size=self.sizes[key], mime="text/csv", etag="e")
        return super().head(key)

    def read_range(self, key: str, first: int, last: int) -> Iterator[bytes]:
        if key not in self.sizes:
            return super().read_range(key, first, last)
        self.fetched += last - first + 1
        rows = ROW * ((last - first) // len(ROW) + 2)
        return iter([rows[first % len(ROW) :][: last - first + 1]])


def workbook_without_row_count() -> bytes:
    """Return a workbook of 15 MB that does not declare its number of rows and has too many to count."""
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", "<worksheet><sheetData>" + "<row><c/></row>" * 400_000)
        archive.writestr("xl/media/image1.png", bytes(15_000_000), zipfile.ZIP_STORED)
    return body.getvalue()


def uploaded(world: World, session: Session, name: str, size: int, body: bytes | None = None) -> FileRecord:
    """Upload a large file in parts."""
    assert isinstance(world.store, HugeFileStore)
    world.clock.advance(1)
    upload = world.use_cases.begin_upload(ALICE, name, size, None, session.session_id)
    if body is None:
        world.store.sizes[upload.file.key] = size
    else:
        world.put(upload.file.key, body)
    return world.use_cases.complete_upload(ALICE, upload.upload_id)


@pytest.mark.clause("v2.1:context:block", "v2.1:context:facts", "v2.1:context:automatic", "v2.1:context:info")
def test_example_of_the_specification_comes_from_real_records(world: World) -> None:
    store = world.store = HugeFileStore()
    session = world.session()
    turn = world.turn(session)
    call = world.call(turn)
    draft = world.stored_file(call, "draft_report.docx", b"draft", index=0, deferred=True, reason="needs_editing")
    world.finish_call(call, RunnerReport(files=[draft]))
    world.clock.advance(1)
    second = world.call(turn, index=1)
    page = world.stored_file(second, "previous_analysis.html", b"<p>\n" * 212_500)
    world.finish_call(second, RunnerReport(files=[page]))
    world.complete(turn)
    workbook = workbook_without_row_count()
    uploaded(world, session, "customer_segments.xlsx", len(workbook), workbook)
    sales = uploaded(world, session, "sales_data.csv", 2_100_000_000)

    world.complete(world.turn(session, QUESTION))

    message = world.model.requests[-1].messages[-1]
    assert isinstance(message, UserMessage)
    day = re.compile(r"\d{4}-\d{2}-\d{2}")
    assert day.sub("DAY", message.text) == day.sub("DAY", EXAMPLE)
    assert (sales.info.estimated, sales.info.columns) == (True, 4)
    assert store.fetched <= 1 << 20
