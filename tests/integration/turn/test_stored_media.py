"""After a turn with pictures and a PDF file, neither a stored item or text nor the log contains any of their bytes."""

import base64
import json
import os
from collections.abc import Iterator
from pathlib import Path

from satchel.adapters import clients
from satchel.bootstrap.functions import use_cases
from satchel.domain.ids import SessionId
from satchel.domain.sessions import TurnStatus
from tests.documents.pdf import write_pdf
from tests.integration.turn.log_recorder import LogRecorder
from tests.integration.turn.turn_driver import TurnDriver
from tests.pictures import png

NOISE = 3_000


def noisy_picture() -> bytes:
    """Return a picture with bytes that nothing else contains."""
    picture = png(30, 20)
    return picture[:-12] + os.urandom(NOISE) + picture[-12:]


def noisy_paper(path: Path) -> bytes:
    """Return a PDF document with bytes that nothing else contains."""
    write_pdf(path, ["One page"])
    return path.read_bytes() + b"\n%" + os.urandom(NOISE)


def encoded_parts(content: bytes) -> list[str]:
    """Return a part of the noise as base64, once for each position of a byte in a group of three."""
    middle = len(content) - NOISE // 2
    return [base64.b64encode(content[middle + shift : middle + shift + 30]).decode() for shift in range(3)]


def stored_data(files: list[bytes]) -> Iterator[tuple[str, str]]:
    """Yield the key and the content of all items, and of all objects that are not one of the files."""
    pages = clients.dynamodb().get_paginator("scan").paginate(TableName=os.environ["SATCHEL_TABLE"])
    for item in (item for page in pages for item in page["Items"]):
        yield f"{item['pk']} {item['sk']}", json.dumps(item, default=str)
    s3, bucket = clients.s3(), os.environ["SATCHEL_BUCKET"]
    for page in s3.get_paginator("list_objects_v2").paginate(Bucket=bucket):
        for entry in page.get("Contents", []):
            body = s3.get_object(Bucket=bucket, Key=entry["Key"])["Body"].read()
            if body not in files:
                yield entry["Key"], body.decode(errors="replace")


def test_stored_data_and_log_contain_no_bytes_of_pictures_and_documents(
    turns: TurnDriver, recorder: LogRecorder, tmp_path: Path
) -> None:
    session = turns.new_session()
    files = {"photo.png": noisy_picture(), "paper.pdf": noisy_paper(tmp_path / "paper.pdf")}
    for name, content in files.items():
        use_cases().upload_file(session.user, name, content, None, SessionId(session.session_id))
    turns.bench.drawing = noisy_picture()

    turn = turns.wait_for_end(turns.send(session, json.dumps([[("draw", {})]]), files=list(files)))

    contents = [*files.values(), turns.bench.drawing]
    assert turn.status is TurnStatus.COMPLETE
    assert sorted(turns.model.requests[-1].media.values()) == sorted(contents)
    parts = [part for content in contents for part in encoded_parts(content)]
    stored = dict(stored_data(contents))
    assert [key for key, text in stored.items() if any(part in text for part in parts)] == []
    assert [key for key in stored if turn.turn_id in key and "OUTCOME" in key]  # the runner's report
    assert sum(turn.turn_id in key for key in stored) > 5
    assert [line for line in recorder.lines if any(part in line for part in parts)] == []
    assert any(turn.turn_id in line for line in recorder.lines)
