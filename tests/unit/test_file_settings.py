"""What becomes of files where nobody sets anything, and what can be set (spec 3 §2.2)."""

import pytest

from satchel.settings import LimitSettings, SessionSettings

MIB = 1 << 20


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BASE64_SIZE_LIMIT_MB", "MAX_INLINE_BYTES", "PERSIST_FILES_ACROSS_SESSIONS"):
        monkeypatch.delenv(f"SATCHEL_{name}", raising=False)


@pytest.mark.clause("v2.1:persist:default")
def test_files_persist_across_sessions_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    assert SessionSettings().persist_files_across_sessions is True
    monkeypatch.setenv("SATCHEL_PERSIST_FILES_ACROSS_SESSIONS", "false")
    assert SessionSettings().persist_files_across_sessions is False


@pytest.mark.clause("v2.1:size-limit:default")
def test_the_limit_of_base64_is_300_mb_by_default() -> None:
    assert LimitSettings().base64_size_limit_mb == 300
    assert LimitSettings(max_inline_bytes=1 << 40).inline_bytes == 300 * MIB


@pytest.mark.clause("v2.1:size-limit:configured")
@pytest.mark.parametrize(("limit", "transport", "in_force"), [(2, 4, 2), (4, 4, 4), (300, 4, 4), (500, 1000, 500)])
def test_the_limit_of_base64_can_be_set_up_to_what_the_transport_carries(
    monkeypatch: pytest.MonkeyPatch, limit: int, transport: int, in_force: int
) -> None:
    monkeypatch.setenv("SATCHEL_BASE64_SIZE_LIMIT_MB", str(limit))
    assert LimitSettings(max_inline_bytes=transport * MIB).inline_bytes == in_force * MIB
