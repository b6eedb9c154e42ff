"""The content of input files in arguments, for tools that cannot open paths."""

import tracemalloc
from base64 import b64encode
from pathlib import Path

import pytest

from satchel.adapters.workspace_files import open_artifact
from satchel.contract.errors import InvalidPath
from satchel.domain.arguments import FileForm
from satchel.ports.runners import CallOrder, InputFile
from satchel.services.calls.embed_files import embed_files
from tests.unit.services.orders import USER, order

CONTENT = b"a,b\n\x00\xff"
ENCODED = b64encode(CONTENT).decode()
PATH = f"/tmp/{USER}/input_files/my sales.csv"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "input_files").mkdir()
    (tmp_path / "input_files/my sales.csv").write_bytes(CONTENT)
    return tmp_path


def order_with(arguments: dict[str, object], **embedded: FileForm) -> CallOrder:
    file = InputFile(name="my sales.csv", url="", size=len(CONTENT), etag="")
    return order(inputs=[file]).model_copy(update={"arguments": arguments, "embedded": embedded})


def test_paths_of_inputs_become_base64_or_data_uris(workspace: Path) -> None:
    sent = order_with({"path": PATH, "content": PATH, "many": [PATH, "x"]}, content="base64", many="data")

    assert embed_files(sent, workspace, open_artifact) == {
        "path": PATH,
        "content": ENCODED,
        "many": [f"data:text/csv;name=my%20sales.csv;base64,{ENCODED}", "x"],
    }


def test_values_that_are_no_inputs_stay(workspace: Path) -> None:
    arguments: dict[str, object] = {"content": f"/tmp/{USER}/input_files/other.csv"}

    assert embed_files(order_with(arguments, content="base64"), workspace, open_artifact) == arguments
    assert embed_files(order_with(arguments, content="base64"), None, open_artifact) == arguments


def test_link_in_place_of_an_input_is_not_followed(workspace: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(CONTENT)
    (workspace / "input_files/my sales.csv").unlink()
    (workspace / "input_files/my sales.csv").symlink_to(secret)

    with pytest.raises(InvalidPath):
        embed_files(order_with({"content": PATH}, content="base64"), workspace, open_artifact)


def test_embedding_holds_the_content_at_most_four_times(workspace: Path) -> None:
    """Once as bytes, and as base64 twice, which has 4/3 of the size. Sending adds two more copies of the base64."""
    size = 4 << 20
    (workspace / "input_files/my sales.csv").write_bytes(bytes(size))
    sent = order_with({"content": PATH}, content="base64")
    sent.inputs[0].size = size
    tracemalloc.start()
    try:
        embed_files(sent, workspace, open_artifact)
        assert tracemalloc.get_traced_memory()[1] < 4 * size
    finally:
        tracemalloc.stop()
