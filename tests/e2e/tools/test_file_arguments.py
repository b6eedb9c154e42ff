"""Files on their way in: every argument that names them, by path and by address, near and far."""

import json
from dataclasses import dataclass

import pytest

from tests.e2e.person import Json, Person, fetch
from tests.e2e.system import System

TEXTS = {"sales.csv": "a,b\n1,2\n", "my notes of May.txt": "notes", "報告書 (最終).txt": "売上は上々です"}
NAMES = list(TEXTS)
SERVERS = ["near_path", "near_url", "far_path", "far_url"]


@dataclass(frozen=True)
class Desk:
    """Somebody with a session and three files in it; one for all, since servers start anew for everybody."""

    person: Person
    session_id: str
    keys: dict[str, str]

    def call(self, tool: str, **arguments: object) -> Json:
        """Call a tool and return the whole response."""
        response = self.person.ask(self.session_id, f"/{tool} {json.dumps(arguments, ensure_ascii=False)}")
        assert response["tool_calls"][0]["is_error"] is False, response["tool_calls"]
        return response


def desk_of(person: Person) -> Desk:
    session_id = person.session()
    keys = {name: person.upload(session_id, name, text.encode())["file_key"] for name, text in TEXTS.items()}
    return Desk(person, session_id, keys)


@pytest.fixture(scope="module")
def desk(system: System) -> Desk:
    return desk_of(Person(system.url, "file.arguments@example.com"))


def given(response: Json, system: System) -> list[str]:
    """Return the places that the tool was given."""
    return fetch(system.url + response["artifacts"][0]["download_url"]).text.split("\n")


def check_places(places: list[str], names: list[str], server: str, desk: Desk, system: System) -> None:
    """Paths in the person's own directory, or addresses of the API."""
    if server.endswith("_path"):
        assert places == [f"/tmp/{desk.person.name}/input_files/{name}" for name in names]
        return
    for place, name in zip(places, names, strict=True):
        assert place.startswith(f"{system.url}/api/files/download/{desk.keys[name]}?token=")


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_found_in_filename(desk: Desk, system: System, server: str, name: str) -> None:
    response = desk.call(f"{server}.look", filename=name)
    assert response["tool_calls"][0]["results"] == {"names": [name], "texts": [TEXTS[name]]}
    check_places(given(response, system), [name], server, desk, system)


@pytest.mark.parametrize(("tool", "argument"), [("look_many", "filenames"), ("look_listed", "file_names")])
@pytest.mark.parametrize("server", SERVERS)
def test_files_are_found_in_lists(desk: Desk, system: System, server: str, tool: str, argument: str) -> None:
    response = desk.call(f"{server}.{tool}", **{argument: NAMES})
    assert response["tool_calls"][0]["results"] == {"names": NAMES, "texts": list(TEXTS.values())}
    check_places(given(response, system), NAMES, server, desk, system)


@pytest.mark.parametrize("server", ["near_path", "far_url"])
def test_a_file_is_named_by_its_key_its_name_or_the_name_it_came_with(desk: Desk, server: str) -> None:
    record = desk.person.upload(desk.session_id, f"what of {server}?.txt", b"found")
    name = f"what of {server}_.txt"
    assert record["name"] == name
    for value in (record["file_key"], name, f"what of {server}?.txt"):
        response = desk.call(f"{server}.look", filename=value)
        assert response["tool_calls"][0]["results"] == {"names": [name], "texts": ["found"]}


def test_one_tool_of_a_server_may_want_addresses_where_the_others_want_paths(desk: Desk, system: System) -> None:
    response = desk.call("near_path.elsewhere", filename="sales.csv")
    check_places(given(response, system), ["sales.csv"], "near_url", desk, system)


@pytest.mark.parametrize("server", ["near_url", "far_url"])
def test_an_address_works_for_who_is_not_signed_in_until_the_file_is_deleted(
    desk: Desk, system: System, server: str
) -> None:
    other = desk_of(desk.person)
    places = given(other.call(f"{server}.look_many", filenames=NAMES), system)
    assert [fetch(place).text for place in places] == list(TEXTS.values())
    for key in other.keys.values():
        assert other.person.call("DELETE", f"/api/files/{key}").is_success
    assert [fetch(place).status_code for place in places] == [404, 404, 404]


def test_no_link_token_or_path_is_told_of(desk: Desk) -> None:
    response = desk.call("far_url.look_many", filenames=NAMES)
    told = json.dumps(desk.person.events(desk.session_id, response["turn_id"]))
    assert "token=" not in told
    assert "/tmp/" not in told
