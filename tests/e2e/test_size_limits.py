"""Size limits of generated files and of base64 content, in a system with small limits."""

import json
from collections.abc import Iterator

import pytest

from tests.attacks.attack_run import call
from tests.e2e.conftest import NewUser
from tests.e2e.system_process import ROOT, SystemProcess, running_system
from tests.e2e.user_client import wait_for_tools

MIB = 1 << 20
MAX_FILE, MAX_INLINE = 3 * MIB, 2 * MIB
SERVER = {"command": ["python", "growing_files.py"], "cwd": str(ROOT / "tests/mcp_servers")}
OWN_LIMIT = {**SERVER, "process_limits": {"file_mb": 1}}


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SystemProcess]:
    config = tmp_path_factory.mktemp("config") / "mcp.json"
    config.write_text(json.dumps({"files": SERVER, "small_files": OWN_LIMIT}))
    settings = {"SATCHEL_MCP_CONFIG": str(config), "SATCHEL_MAX_FILE_SIZE_BYTES": str(MAX_FILE)}
    with running_system(settings={**settings, "SATCHEL_MAX_INLINE_BYTES": str(MAX_INLINE)}) as running:
        wait_for_tools(running.url)
        yield running


def too_large(limit: int) -> dict[str, object]:
    """Return the meta data of the specified error."""
    return {
        "is_error": True,
        "reason": "FileSizeExceeded",
        "error_code": "E_FILE_TOO_LARGE",
        "details": {
            "file_size_bytes": limit + 1,
            "current_limit_bytes": limit,
            "suggestion": "Consider generating summary or using chunked processing",
        },
        "retryable": False,
    }


@pytest.mark.clause("v2.1:errors:file-too-large")
@pytest.mark.parametrize("way", ["write", "extend", "temporary", "hidden cause", "program", "server dies"])
def test_generated_file_above_the_limit_fails_the_call_with_both_sizes(new_user: NewUser, way: str) -> None:
    result = call(new_user(), "files.generate", way=way, size=MAX_FILE + 10_240)

    assert (result["is_error"], result["error_code"]) == (True, "E_FILE_TOO_LARGE")
    assert result["results"] == {"error": "Generated file exceeds processing limits"}
    assert result["meta_data"] == too_large(MAX_FILE)


@pytest.mark.clause("v2.1:errors:file-too-large")
def test_lower_file_limit_of_a_server_is_the_limit_in_its_error(new_user: NewUser) -> None:
    result = call(new_user(), "small_files.generate", way="write", size=MIB + 10_240)

    assert result["meta_data"] == too_large(MIB)


def test_generated_file_of_the_limit_is_stored(new_user: NewUser) -> None:
    user = new_user()
    result = call(user, "files.generate", way="write", size=MAX_FILE)

    assert (result["is_error"], result["results"]) == (False, {"size": MAX_FILE})
    assert [file["size"] for file in user.request("GET", "/api/files").json()["files"]] == [MAX_FILE]


def test_other_error_with_the_same_words_is_an_error_of_the_tool(new_user: NewUser) -> None:
    result = call(new_user(), "files.refuse")

    assert (result["error_code"], result["meta_data"]["reason"]) == ("E_TOOL_FAILED", "ToolFailed")


@pytest.mark.clause("v2.1:size-limit:configured", "v2.1:processing:b64", "v2.1:processing:reference")
def test_announced_base64_limit_is_the_limit_in_force(new_user: NewUser) -> None:
    user = new_user()
    config = user.request("GET", "/api/config").json()
    keys = [user.upload(None, f"{size}.bin", bytes(size))["file_key"] for size in (MAX_INLINE, MAX_INLINE + 1)]
    at_limit, above = (user.request("GET", f"/api/files/{key}").json() for key in keys)

    assert (config["flags"]["base64_size_limit_mb"] * MIB, config["limits"]["inline_bytes"]) == (MAX_INLINE, MAX_INLINE)
    assert (at_limit["b64"] is None, at_limit["s3_ref"]) == (False, None)
    assert (above["b64"], above["s3_ref"]["internal"]) == (None, True)
