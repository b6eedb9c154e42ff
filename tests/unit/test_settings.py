"""Settings are read from environment variables, and errors name the invalid variable."""

import pytest
from pydantic import ValidationError

from satchel.domain.timing import Limits
from satchel.settings import (
    CanvasSettings,
    LimitSettings,
    ModelSettings,
    SessionSettings,
    StorageSettings,
    TimingSettings,
)

MIB = 1 << 20


def origins(monkeypatch: pytest.MonkeyPatch, text: str) -> tuple[str, ...]:
    monkeypatch.setenv("SATCHEL_CANVAS_ORIGINS", text)
    return CanvasSettings().canvas_origins


def test_canvas_origins_are_empty_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SATCHEL_CANVAS_ORIGINS", raising=False)
    assert CanvasSettings().canvas_origins == ()


@pytest.mark.parametrize(
    "text",
    [
        "https://dash.example,http://localhost:9000",
        " https://Dash.example:443/ , http://localhost:9000, ",
        '["https://dash.example", "http://localhost:9000"]',
        ' ["https://dash.example/", "http://localhost:9000"]',
    ],
)
def test_canvas_origins_are_read_from_a_comma_separated_or_json_list(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    assert origins(monkeypatch, text) == ("https://dash.example", "http://localhost:9000")


@pytest.mark.parametrize("text", ["", " ", ",", "[]"])
def test_empty_list_of_canvas_origins_is_accepted(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    assert origins(monkeypatch, text) == ()


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("https://dash.example,dash.example", "'dash.example' is not an origin: use https://host"),
        ("https://*.dash.example", "'https://.*' is not an origin"),
        ("https://dash.example/view", "'https://dash.example/view' is not an origin"),
        ("*", "is not an origin"),
        ('["https://dash.example"', "canvas_origins"),
        ("[5]", "canvas_origins.0"),
    ],
)
def test_invalid_canvas_origin_is_named_in_the_error(monkeypatch: pytest.MonkeyPatch, text: str, error: str) -> None:
    with pytest.raises(ValidationError, match=error):
        origins(monkeypatch, text)


def test_tool_timeouts_have_defaults_and_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SILENCE", "NOTICE", "MAX"):
        monkeypatch.delenv(f"SATCHEL_TOOL_{name}_SECONDS", raising=False)
    assert TimingSettings().limits == Limits(silence=30, notices=None, max_seconds=840)

    monkeypatch.setenv("SATCHEL_TOOL_SILENCE_SECONDS", "60")
    monkeypatch.setenv("SATCHEL_TOOL_NOTICE_SECONDS", "20, 40, 55.5")
    monkeypatch.setenv("SATCHEL_TOOL_MAX_SECONDS", "600")
    assert TimingSettings().limits == Limits(silence=60, notices=(20, 40, 55.5), max_seconds=600)


def test_missing_variable_is_named_and_can_be_overridden_by_an_argument(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_TABLE", "records")
    monkeypatch.delenv("SATCHEL_BUCKET", raising=False)

    with pytest.raises(ValidationError, match=r"bucket\n.*required"):
        StorageSettings()
    assert StorageSettings(bucket="files") == StorageSettings(table="records", bucket="files")


def test_first_model_is_the_default_unless_one_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SATCHEL_MODEL", raising=False)
    monkeypatch.delenv("SATCHEL_MODELS", raising=False)
    assert [entry.model for entry in ModelSettings().catalog.all] == ["offline"]

    entries = '[{"name": "quick", "model": "openai-chat:small"}, {"name": "slow", "model": "bedrock:large"}]'
    monkeypatch.setenv("SATCHEL_MODELS", entries)
    assert [entry.model for entry in ModelSettings().catalog.all] == ["openai-chat:small", "bedrock:large"]

    monkeypatch.setenv("SATCHEL_MODEL", "slow")
    assert [entry.model for entry in ModelSettings().catalog.all] == ["bedrock:large", "openai-chat:small"]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("[", "models"),
        ('[{"name": "a"}]', "models.0.model"),
        ('[{"name": "a", "model": "b", "group": "c"}]', "models.0.group"),
        ('[{"name": "a", "model": "b"}, {"name": "a", "model": "c"}]', "two models have the same name"),
    ],
)
def test_invalid_list_of_models_is_named_in_the_error(monkeypatch: pytest.MonkeyPatch, text: str, error: str) -> None:
    monkeypatch.setenv("SATCHEL_MODELS", text)
    with pytest.raises(ValidationError, match=error):
        ModelSettings()


@pytest.fixture
def _no_file_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BASE64_SIZE_LIMIT_MB", "MAX_INLINE_BYTES", "PERSIST_FILES_ACROSS_SESSIONS"):
        monkeypatch.delenv(f"SATCHEL_{name}", raising=False)


@pytest.mark.clause("v2.1:persist:default")
@pytest.mark.usefixtures("_no_file_settings")
def test_files_persist_across_sessions_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    assert SessionSettings().persist_files_across_sessions is True
    monkeypatch.setenv("SATCHEL_PERSIST_FILES_ACROSS_SESSIONS", "false")
    assert SessionSettings().persist_files_across_sessions is False


@pytest.mark.clause("v2.1:size-limit:default")
@pytest.mark.usefixtures("_no_file_settings")
def test_base64_size_limit_is_300_mb_by_default() -> None:
    assert LimitSettings().base64_size_limit_mb == 300
    assert LimitSettings(max_inline_bytes=1 << 40).inline_bytes == 300 * MIB


@pytest.mark.clause("v2.1:size-limit:configured")
@pytest.mark.usefixtures("_no_file_settings")
@pytest.mark.parametrize(("limit", "transport", "effective"), [(2, 4, 2), (4, 4, 4), (300, 4, 4), (500, 1000, 500)])
def test_base64_size_limit_can_be_set_up_to_the_limit_of_the_transport(
    monkeypatch: pytest.MonkeyPatch, limit: int, transport: int, effective: int
) -> None:
    monkeypatch.setenv("SATCHEL_BASE64_SIZE_LIMIT_MB", str(limit))
    limits = LimitSettings(max_inline_bytes=transport * MIB)
    assert (limits.inline_bytes, limits.base64_mb_in_force) == (effective * MIB, effective)
