"""What Dispatch changes in a model's arguments (spec 2 §4, spec 3 §3, spec 4 §4)."""

from typing import Any

import pytest

from satchel.contract import InvalidArguments
from satchel.domain.arguments import (
    fill_original_names,
    find_similar_names,
    inject_identity,
    list_file_names,
    parse,
    replace_file_names,
)
from satchel.domain.conversation import ToolSpec
from satchel.domain.ids import UserName


def tool(*fields: str) -> ToolSpec:
    return ToolSpec(server="s", name="t", input_schema={"properties": {field: {} for field in fields}})


# Reading them


@pytest.mark.parametrize("text", ["", "  ", "\n", "{}"])
def test_no_arguments_are_an_empty_object(text: str) -> None:
    assert parse(text) == {}


def test_an_object_is_read_as_it_is() -> None:
    assert parse('{"a": [1, {"b": null}], "c": "ü"}') == {"a": [1, {"b": None}], "c": "ü"}


@pytest.mark.parametrize("text", ["{", "{'a': 1}", "hello", '{"a": 1} and more', "[" * 100_000])
def test_what_is_no_json_is_refused_with_the_reason(text: str) -> None:
    with pytest.raises(InvalidArguments, match="the arguments are not JSON: "):
        parse(text)


@pytest.mark.parametrize(("text", "kind"), [("[1]", "list"), ('"a"', "str"), ("1", "int"), ("null", "NoneType")])
def test_json_that_is_no_object_is_refused(text: str, kind: str) -> None:
    with pytest.raises(InvalidArguments, match=f"must be a JSON object, not {kind}"):
        parse(text)


def test_what_python_reads_but_json_cannot_carry_is_made_plain() -> None:
    read = parse('{"nan": NaN, "inf": -Infinity, "far": 1e999, "half": "\\ud800"}')
    assert read == {"nan": None, "inf": None, "far": None, "half": "\N{REPLACEMENT CHARACTER}"}


# Who the tool acts for


@pytest.mark.clause("v2.1:username:overwritten")
@pytest.mark.parametrize("sent", ["bob", "", ["bob"], {"name": "bob"}, None, 7])
@pytest.mark.parametrize("name", ["username", "_atlas_user"])
def test_the_identity_replaces_whatever_the_model_sent(name: str, sent: object) -> None:
    assert inject_identity(tool(name, "text"), {name: sent, "text": "a"}, UserName("alice")) == {
        name: "alice",
        "text": "a",
    }


def test_the_identity_is_given_where_the_tool_declares_it_and_nothing_was_sent() -> None:
    assert inject_identity(tool("username"), {}, UserName("alice")) == {"username": "alice"}


@pytest.mark.clause("v2:username:not-added")
def test_the_identity_is_added_nowhere_else() -> None:
    assert inject_identity(tool("text"), {"text": "a"}, UserName("alice")) == {"text": "a"}
    assert inject_identity(ToolSpec(server="s", name="t"), {}, UserName("alice")) == {}


@pytest.mark.clause("v2.1:username:overwritten")
def test_an_identity_that_the_model_sends_undeclared_is_no_other_persons() -> None:
    assert inject_identity(tool("text"), {"username": "bob"}, UserName("alice")) == {"username": "alice"}


def test_the_models_own_arguments_are_left_as_they_were() -> None:
    sent = {"username": "bob"}
    inject_identity(tool("username"), sent, UserName("alice"))
    assert sent == {"username": "bob"}


@pytest.mark.parametrize("properties", [None, [], "username", {"user": {}}])
def test_a_schema_of_another_form_declares_nothing(properties: object) -> None:
    assert not ToolSpec(server="s", name="t", input_schema={"properties": properties}).declares("username")


# Files


@pytest.mark.clause("v2.1:files:filename", "v2.1:files:filenames")
def test_files_are_named_in_three_arguments() -> None:
    sent = {"filename": "a", "filenames": ["b", "c"], "file_names": ["d"]}
    assert list_file_names(tool("filename", "filenames", "file_names"), sent) == ["a", "b", "c", "d"]


def test_a_file_named_twice_is_one() -> None:
    assert list_file_names(tool("filename", "filenames"), {"filename": "a", "filenames": ["b", "a", "b"]}) == ["a", "b"]


@pytest.mark.clause("v2.1:files:only-these")
def test_only_declared_arguments_name_files() -> None:
    assert list_file_names(tool("filename", "path"), {"filenames": ["a"], "path": "b", "file_name": "c"}) == []


@pytest.mark.parametrize("sent", [None, 5, True, {"a": 1}, "", [""], [None, 3, ["a"], {"a": 1}]])
def test_what_is_no_name_names_no_file(sent: object) -> None:
    assert list_file_names(tool("filename", "filenames"), {"filename": sent, "filenames": sent}) == []


def where(name: str) -> str:
    return {"a": "/in/a", "b": "/in/b"}.get(name, name)


@pytest.mark.clause("v2.1:files:filename")
@pytest.mark.parametrize(
    ("sent", "received"),
    [
        ({"filename": "a"}, {"filename": "/in/a"}),
        ({"filename": ["a", "x"]}, {"filename": ["/in/a", "x"]}),
        ({"filenames": ["a", "b", "a"]}, {"filenames": ["/in/a", "/in/b", "/in/a"]}),
        ({"filenames": "a"}, {"filenames": "/in/a"}),
        ({"file_names": ["b"]}, {"file_names": ["/in/b"]}),
        ({"filenames": ["a", 5, None]}, {"filenames": ["/in/a", 5, None]}),
        ({"filename": 5, "filenames": {"a": "a"}}, {"filename": 5, "filenames": {"a": "a"}}),
        ({"text": "a"}, {"text": "a"}),
        ({}, {}),
    ],
)
def test_named_files_are_replaced_and_all_else_passes_through(sent: dict[str, Any], received: dict[str, Any]) -> None:
    assert replace_file_names(tool("filename", "filenames", "file_names", "text"), sent, where) == received


@pytest.mark.clause("v2.1:files:only-these")
def test_an_undeclared_argument_is_not_touched() -> None:
    assert replace_file_names(tool("filename"), {"filenames": ["a"]}, where) == {"filenames": ["a"]}


# What files are called


@pytest.mark.parametrize(
    ("fields", "sent", "told"),
    [
        (["filename", "original_filename"], {"filename": "a"}, {"original_filename": "/in/a"}),
        (["filenames", "original_filenames"], {"filenames": ["a", "x"]}, {"original_filenames": ["/in/a", "x"]}),
        (["file_names", "original_filenames"], {"file_names": ["b"]}, {"original_filenames": ["/in/b"]}),
        (["file_names", "original_file_names"], {"file_names": ["b"]}, {"original_file_names": ["/in/b"]}),
        (
            ["filenames", "original_filenames"],
            {"filenames": ["a"], "original_filenames": ["mine"]},
            {"original_filenames": ["/in/a"]},
        ),
        (["filename"], {"filename": "a"}, {}),
        (["original_filename"], {"filename": "a"}, {}),
        (["filename", "original_filename"], {"filename": ""}, {}),
        (["filename", "original_filename"], {"original_filename": "mine"}, {}),
    ],
)
def test_what_files_are_called_is_told_where_the_tool_wants_to_know(
    fields: list[str], sent: dict[str, Any], told: dict[str, Any]
) -> None:
    assert fill_original_names(tool(*fields), sent, where) == sent | told


def test_the_nearest_names_come_best_first_and_are_few() -> None:
    known = ["sales.csv", "sale.csv", "sales_2.csv", "sales_23.csv", "picture.png"]
    assert find_similar_names("sales.csvv", known) == ["sales.csv", "sale.csv", "sales_2.csv"]


def test_nothing_comes_near_to_nonsense() -> None:
    assert find_similar_names("qqqqqqqq", ["sales.csv"]) == []
