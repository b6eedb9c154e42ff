"""Name conflicts of new files, and expiry."""

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
EXISTING, NEW = new_id("f", NOW, bytes(10)), new_id("f", NOW, b"\1" * 10)


def claim(
    raw_name: str = "report.html",
    source: Source = Source.GENERATED,
    origin: str = "call 1",
    object_id: str = EXISTING,
    artifact_id: str | None = None,
    expires_at: int | None = None,
    *,
    temporary: bool = False,
) -> NameClaim:
    return NameClaim(
        name="report.html",
        raw_name=raw_name,
        file_key=EXISTING,
        object_id=object_id,
        source=source,
        origin=origin,
        version=1,
        artifact_id=artifact_id,
        temporary=temporary,
        expires_at=expires_at,
    )


def new(
    raw_name: str = "report.html",
    source: Source = Source.GENERATED,
    origin: str = "call 2",
    expires_at: int | None = None,
    artifact_id: str | None = None,
    *,
    temporary: bool = False,
) -> NewFile:
    return NewFile(
        object_id=NEW,
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
        artifact_id=artifact_id,
        expires_at=expires_at,
        temporary=temporary,
    )


def test_same_object_is_the_same_file() -> None:
    assert resolve_name_conflict(claim(object_id=NEW), new()) is NameResolution.SAME_FILE


def test_same_object_is_the_same_file_despite_another_name_or_origin() -> None:
    changed = new(raw_name="r?eport.html", origin="call 1", source=Source.UPLOADED)
    assert resolve_name_conflict(claim(object_id=NEW), changed) is NameResolution.SAME_FILE


TURN, OTHER_TURN = new_id("t", NOW, bytes(10)), new_id("t", NOW, b"\1" * 10)


def test_same_name_from_another_turn_is_a_new_version() -> None:
    existing = claim(origin=f"{TURN}-00-00")
    assert resolve_name_conflict(existing, new(origin=f"{OTHER_TURN}-00-00")) is NameResolution.NEW_VERSION


@pytest.mark.clause("v2.1:artifacts:same-turn")
def test_files_of_one_turn_never_replace_each_other() -> None:
    for other_call in (f"{TURN}-00-01", f"{TURN}-01-00"):
        conflict = resolve_name_conflict(claim(origin=f"{TURN}-00-00"), new(origin=other_call))
        assert conflict is NameResolution.NUMBERED_NAME


@pytest.mark.clause("v5:artifacts:own-id")
@pytest.mark.parametrize(("existing", "added"), [("a", "b"), ("a", None), (None, "b")])
def test_artifact_is_never_a_version_of_another_id(existing: str | None, added: str | None) -> None:
    conflict = resolve_name_conflict(claim(artifact_id=existing), new(artifact_id=added))
    assert conflict is NameResolution.NUMBERED_NAME


def test_artifact_with_the_same_id_is_a_new_version() -> None:
    assert resolve_name_conflict(claim(artifact_id="a"), new(artifact_id="a")) is NameResolution.NEW_VERSION


def test_upload_is_a_new_version_of_an_artifact_with_an_id() -> None:
    upload = new(source=Source.UPLOADED, origin="upload 1")
    assert resolve_name_conflict(claim(artifact_id="a"), upload) is NameResolution.NEW_VERSION


def test_same_name_uploaded_again_is_a_new_version() -> None:
    existing = claim(source=Source.UPLOADED, origin="upload 1")
    assert resolve_name_conflict(existing, new(source=Source.UPLOADED, origin="upload 2")) is NameResolution.NEW_VERSION


def test_upload_is_a_new_version_of_an_artifact() -> None:
    assert resolve_name_conflict(claim(), new(source=Source.UPLOADED, origin="upload 1")) is NameResolution.NEW_VERSION


def test_artifact_is_a_new_version_of_a_deferred_file() -> None:
    assert resolve_name_conflict(claim(source=Source.DEFERRED), new()) is NameResolution.NEW_VERSION


def test_transient_file_never_becomes_a_version_of_a_permanent_file() -> None:
    for transient in (new(source=Source.DEFERRED, expires_at=1), new(temporary=True)):
        assert resolve_name_conflict(claim(), transient) is NameResolution.NUMBERED_NAME


def test_transient_file_is_a_new_version_of_a_file_that_exists_no_longer_than_it() -> None:
    deferred, temporary = new(source=Source.DEFERRED, expires_at=10), new(temporary=True)
    assert resolve_name_conflict(claim(expires_at=10), deferred) is NameResolution.NEW_VERSION
    assert resolve_name_conflict(claim(temporary=True), temporary) is NameResolution.NEW_VERSION


def test_transient_file_never_becomes_a_version_of_a_file_that_expires_later() -> None:
    deferred, temporary = new(source=Source.DEFERRED, expires_at=10), new(temporary=True)
    assert resolve_name_conflict(claim(expires_at=11), deferred) is NameResolution.NUMBERED_NAME
    assert resolve_name_conflict(claim(temporary=True), deferred) is NameResolution.NUMBERED_NAME
    assert resolve_name_conflict(claim(expires_at=11), temporary) is NameResolution.NUMBERED_NAME


def test_artifact_never_replaces_an_upload() -> None:
    existing = claim(source=Source.UPLOADED, origin="upload 1")
    assert resolve_name_conflict(existing, new()) is NameResolution.NUMBERED_NAME
    assert resolve_name_conflict(existing, new(source=Source.DEFERRED)) is NameResolution.NUMBERED_NAME


def test_files_of_one_call_never_replace_each_other() -> None:
    assert resolve_name_conflict(claim(origin="call 2"), new(origin="call 2")) is NameResolution.NUMBERED_NAME


def test_raw_names_equal_only_after_normalization_get_different_names() -> None:
    assert (
        resolve_name_conflict(claim(raw_name="a/report.html"), new(raw_name="b/report.html"))
        is NameResolution.NUMBERED_NAME
    )
    uploads = claim(raw_name="report.html", source=Source.UPLOADED), new(" report.html", Source.UPLOADED, "upload 2")
    assert resolve_name_conflict(*uploads) is NameResolution.NUMBERED_NAME


@pytest.mark.clause("v2.1:deferred:expired")
def test_file_expires_exactly_at_its_expiry_time() -> None:
    at = int((NOW + timedelta(hours=72)).timestamp())
    record = FileRecord(**new(expires_at=at).model_dump(), file_key=NEW)
    assert not is_expired(record, NOW + timedelta(hours=72, microseconds=-1))
    assert is_expired(record, NOW + timedelta(hours=72))


def test_file_without_expiry_time_never_expires() -> None:
    assert not is_expired(FileRecord(**new().model_dump(), file_key=NEW), datetime(9999, 1, 1, tzinfo=UTC))
