"""Files of every kind reach the model through the running system, in the wire format of each provider."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.documents.samples import FILES, write_samples, write_zip
from tests.e2e.system_process import SystemProcess
from tests.e2e.user_client import Json, UserClient, run_user
from tests.fake_providers.replies import Answer
from tests.fake_providers.server import PROVIDERS, FakeEndpoint
from tests.pictures import png

IN_OTHER_FILES = {
    "excel.xlsx": "6ff4173b-42a5-4784-9b19-f49caff4d93d",
    "word.docx": "Testing Linked Images",
    "libreoffice.ods": "This workbook contains 4 sheets",
}
ARGUMENTS = {"sample.xlsx": {"sheet": "Second"}, "sample.pdf": {"pages": "2"}}


@pytest.fixture(scope="module")
def user(system: SystemProcess) -> UserClient:
    """One user for all tests, so that the server stays warm."""
    return UserClient(system.url, run_user("documents"))


@pytest.fixture(scope="module")
def facts(user: UserClient, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """The facts in the files that the user has uploaded, by file name."""
    folder = tmp_path_factory.mktemp("samples")
    samples = write_samples(folder)
    paths = [*(folder / name for name in samples), *(FILES / name for name in IN_OTHER_FILES)]
    for path in paths:
        user.upload(None, path.name, path.read_bytes())
    return samples | IN_OTHER_FILES


@pytest.mark.parametrize("provider", PROVIDERS)
def test_model_is_given_the_fact_in_every_kind_of_file(
    provider: str, endpoint: FakeEndpoint, user: UserClient, facts: Mapping[str, str]
) -> None:
    calls = [("documents_read", json.dumps({"filename": name, **ARGUMENTS.get(name, {})})) for name in facts]
    endpoint.requests = []
    endpoint.replies = [Answer(["I read them."], calls), Answer(["Done."])]

    response = user.ask(user.create_session(model=provider), "What do my files say?")

    assert [call["results"] for call in response["tool_calls"] if call["is_error"]] == []
    sent = json.dumps(endpoint.requests[-1].body, ensure_ascii=False)
    assert [name for name, fact in facts.items() if fact not in sent] == []
    assert len({Path(name).suffix for name in facts}) >= 18


def test_model_reads_on_where_a_long_result_was_cut(endpoint: FakeEndpoint, user: UserClient) -> None:
    endpoint.replies = [Answer(["Measure."], [("artifacts_long_results", '{"lines": 3000}')]), Answer(["Done."])]
    session = user.create_session(model="anthropic")
    user.ask(session, "Measure everything.", tools=["artifacts", "documents"])
    (cut,) = tool_results(endpoint)
    tool, _, arguments = cut["omitted"].partition(" begins with ")[2].partition(" ")
    endpoint.replies = [Answer(["Read on."], [(tool.replace(".", "_"), arguments)]), Answer(["Done."])]

    user.ask(session, "Go on.")

    last_shown = cut["results"].partition("\n[…")[0].splitlines()[-1]
    rest = tool_results(endpoint)[-1]["results"].partition("\n\n")[2]
    following = int(rest.splitlines()[1].removeprefix("measured value "))
    assert f"{last_shown}{rest.splitlines()[0]}" == f"measured value {following - 1}"


def tool_results(endpoint: FakeEndpoint) -> list[Json]:
    """Return the results of tools in the last request to Anthropic's model."""
    blocks = [block for message in endpoint.requests[-1].body["messages"] for block in message["content"]]
    contents = [block["content"] for block in blocks if block["type"] == "tool_result"]
    return [json.loads(content if isinstance(content, str) else content[0]["text"]) for content in contents]


def test_damaged_file_is_an_error_with_a_code_and_the_server_continues(user: UserClient) -> None:
    session = user.create_session()
    user.upload(session, "cut.pdf", b"%PDF-1.7\n1 0 obj\n<<")
    user.upload(session, "fine.txt", b"fine\n")

    (damaged,) = user.ask(session, '/documents.read {"filename": "cut.pdf"}')["tool_calls"]
    (fine,) = user.ask(session, '/documents.read {"filename": "fine.txt"}')["tool_calls"]

    assert damaged["is_error"], damaged
    assert damaged["results"]["error"].startswith("E_DAMAGED: the PDF is damaged or cut off")
    assert "fine\n" in fine["results"]


def test_bad_files_of_a_message_are_errors_or_short_answers_and_the_turn_completes(
    user: UserClient, tmp_path: Path
) -> None:
    write_zip(tmp_path / "bomb.docx", {"[Content_Types].xml": "", "word/document.xml": "0" * (32 << 20)})
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    files = {
        "cut.pdf": (b"%PDF-1.7\n1 0 obj\n<<", "E_DAMAGED"),
        "empty.csv": (b"", "E_EMPTY"),
        "locked.xlsx": ((FILES / "password.xlsx").read_bytes(), "E_ENCRYPTED"),
        "bomb.docx": ((tmp_path / "bomb.docx").read_bytes(), "E_TOO_LARGE"),
        "bomb.png": (png(60_000, 60_000), "E_TOO_LARGE"),
        "half.png": (png(5_000, 4_000), "E_DAMAGED"),
        "program.txt": (b"\x7fELF\2\1\1\0" + bytes(500), "E_UNKNOWN_KIND"),
        "laughs.xml": (f"<!DOCTYPE a [<!ENTITY l0 'ha'>{laughs}]><a>&l9;</a>".encode(), "&l9;"),
        "text.png": (b"no picture\n", "E_NOT_A_PICTURE"),
        "drawing.svg": (b"<svg xmlns='http://www.w3.org/2000/svg'><text>4711</text></svg>", "4711"),
    }
    session = user.create_session()
    for name, (content, _) in files.items():
        user.upload(session, name, content)

    turn = user.ask(session, "What is wrong with them?", files=list(files))

    answers = {call["arguments"]["filename"].rpartition("/")[2]: str(call["results"]) for call in turn["tool_calls"]}
    assert turn["status"] == "complete"
    assert {name for name, (_, expected) in files.items() if expected not in answers[name]} == set()
    assert max(map(len, answers.values())) < 20_000
