"""Which name a new file gets, and when a file is gone."""

from datetime import UTC, datetime, timedelta

import pytest

from satchel.domain.files import (
    FileRecord,
    NameClaim,
    NameResolution,
    NewFile,
    Source,
    is_expired,
    resolve_name_conflict,
)
from satchel.domain.ids import new_id

NOW = datetime(2024, 8, 27, 12, 0, tzinfo=UTC)
HELD, MADE = new_id("f", NOW, bytes(10)), new_id("f", NOW, b"\1" * 10)


def claim(
    raw_name: str = "report.html",
    source: Source = Source.GENERATED,
    origin: str = "call 1",
    object_id: str = HELD,
    *,
    is_transient: bool = False,
) -> NameClaim:
    return NameClaim(
        name="report.html",
        raw_name=raw_name,
        file_key=HELD,
        object_id=object_id,
        source=source,
        origin=origin,
        version=1,
        is_transient=is_transient,
    )


def new(
    raw_name: str = "report.html",
    source: Source = Source.GENERATED,
    origin: str = "call 2",
    expires_at: int | None = None,
    *,
    temporary: bool = False,
) -> NewFile:
    return NewFile(
        object_id=MADE,
        key="k",
        user="alice",
        session_id=None,
        name="report.html",
        raw_name=raw_name,
        mime="text/html",
        size=1,
        source=source,
        origin=origin,
        created_at=NOW,
        expires_at=expires_at,
        temporary=temporary,
    )


def test_the_same_bytes_again_are_the_same_file() -> None:
    assert resolve_name_conflict(claim(object_id=MADE), new()) is NameResolution.SAME_FILE


def test_the_same_bytes_again_are_the_same_file_even_by_another_name_or_maker() -> None:
    changed = new(raw_name="r?eport.html", origin="call 1", source=Source.UPLOADED)
    assert resolve_name_conflict(claim(object_id=MADE), changed) is NameResolution.SAME_FILE


def test_a_file_made_again_by_another_call_is_a_new_version() -> None:
    assert resolve_name_conflict(claim(), new()) is NameResolution.NEW_VERSION


def test_a_file_uploaded_again_is_a_new_version() -> None:
    held = claim(source=Source.UPLOADED, origin="upload 1")
    assert resolve_name_conflict(held, new(source=Source.UPLOADED, origin="upload 2")) is NameResolution.NEW_VERSION


def test_an_upload_replaces_what_a_tool_made() -> None:
    assert resolve_name_conflict(claim(), new(source=Source.UPLOADED, origin="upload 1")) is NameResolution.NEW_VERSION


def test_a_draft_that_was_finished_is_a_new_version() -> None:
    assert resolve_name_conflict(claim(source=Source.DEFERRED), new()) is NameResolution.NEW_VERSION


def test_what_goes_by_itself_is_never_a_version_of_what_stays() -> None:
    for going in (new(source=Source.DEFERRED, expires_at=1), new(temporary=True)):
        assert resolve_name_conflict(claim(), going) is NameResolution.NUMBERED_NAME
        assert resolve_name_conflict(claim(is_transient=True), going) is NameResolution.NEW_VERSION


def test_what_a_tool_makes_never_replaces_an_upload() -> None:
    held = claim(source=Source.UPLOADED, origin="upload 1")
    assert resolve_name_conflict(held, new()) is NameResolution.NUMBERED_NAME
    assert resolve_name_conflict(held, new(source=Source.DEFERRED)) is NameResolution.NUMBERED_NAME


def test_two_files_of_one_call_never_replace_one_another() -> None:
    assert resolve_name_conflict(claim(origin="call 2"), new(origin="call 2")) is NameResolution.NUMBERED_NAME


def test_two_raw_names_that_merely_meet_never_share_one() -> None:
    assert (
        resolve_name_conflict(claim(raw_name="a/report.html"), new(raw_name="b/report.html"))
        is NameResolution.NUMBERED_NAME
    )
    uploads = claim(raw_name="report.html", source=Source.UPLOADED), new(" report.html", Source.UPLOADED, "upload 2")
    assert resolve_name_conflict(*uploads) is NameResolution.NUMBERED_NAME


@pytest.mark.clause("v2.1:deferred:expired")
def test_a_file_is_gone_at_the_second_of_its_expiry_not_before() -> None:
    at = int((NOW + timedelta(hours=72)).timestamp())
    record = FileRecord(**new(expires_at=at).model_dump(), file_key=MADE)
    assert not is_expired(record, NOW + timedelta(hours=72, microseconds=-1))
    assert is_expired(record, NOW + timedelta(hours=72))


def test_a_file_without_expiry_stays() -> None:
    assert not is_expired(FileRecord(**new().model_dump(), file_key=MADE), datetime(9999, 1, 1, tzinfo=UTC))
