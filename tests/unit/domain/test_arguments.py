"""Parsing of a model's arguments, and the changes that Dispatch makes to them."""

from typing import Any

import pytest

from satchel.contract import InvalidArguments
from satchel.domain.arguments import (
    file_forms,
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


# Parsing


@pytest.mark.parametrize("text", ["", "  ", "\n", "{}"])
def test_empty_text_is_an_empty_object(text: str) -> None:
    assert parse(text) == {}


def test_json_object_is_parsed_unchanged() -> None:
    assert parse('{"a": [1, {"b": null}], "c": "ü"}') == {"a": [1, {"b": None}], "c": "ü"}


@pytest.mark.parametrize("text", ["{", "{'a': 1}", "hello", '{"a": 1} and more', "[" * 100_000])
def test_invalid_json_is_rejected_with_the_reason(text: str) -> None:
    with pytest.raises(InvalidArguments, match="the arguments are not JSON: "):
        parse(text)


@pytest.mark.parametrize(("text", "kind"), [("[1]", "list"), ('"a"', "str"), ("1", "int"), ("null", "NoneType")])
def test_json_other_than_an_object_is_rejected(text: str, kind: str) -> None:
    with pytest.raises(InvalidArguments, match=f"must be a JSON object, not {kind}"):
        parse(text)


def test_values_that_json_cannot_carry_are_replaced() -> None:
    read = parse('{"nan": NaN, "inf": -Infinity, "far": 1e999, "half": "\\ud800"}')
    assert read == {"nan": None, "inf": None, "far": None, "half": "\N{REPLACEMENT CHARACTER}"}


# Identity


@pytest.mark.clause("v2.1:username:overwritten")
@pytest.mark.parametrize("sent", ["bob", "", ["bob"], {"name": "bob"}, None, 7])
@pytest.mark.parametrize("name", ["username", "_atlas_user"])
def test_identity_replaces_any_value_of_the_model(name: str, sent: object) -> None:
    assert inject_identity(tool(name, "text"), {name: sent, "text": "a"}, UserName("alice")) == {
        name: "alice",
        "text": "a",
    }


def test_identity_is_added_if_the_tool_declares_it() -> None:
    assert inject_identity(tool("username"), {}, UserName("alice")) == {"username": "alice"}


@pytest.mark.clause("v2:username:not-added")
def test_identity_is_not_added_if_undeclared() -> None:
    assert inject_identity(tool("text"), {"text": "a"}, UserName("alice")) == {"text": "a"}
    assert inject_identity(ToolSpec(server="s", name="t"), {}, UserName("alice")) == {}


@pytest.mark.clause("v2.1:username:overwritten")
def test_undeclared_identity_of_the_model_is_removed() -> None:
    assert inject_identity(tool("text"), {"username": "bob", "text": "a"}, UserName("alice")) == {"text": "a"}


def test_arguments_of_the_caller_are_not_modified() -> None:
    sent = {"username": "bob"}
    inject_identity(tool("username"), sent, UserName("alice"))
    assert sent == {"username": "bob"}


@pytest.mark.parametrize("properties", [None, [], "username", {"user": {}}])
def test_malformed_schema_declares_no_arguments(properties: object) -> None:
    assert not ToolSpec(server="s", name="t", input_schema={"properties": properties}).declares("username")


# Files


@pytest.mark.clause("v2.1:files:filename", "v2.1:files:filenames")
def test_file_names_come_from_three_arguments() -> None:
    sent = {"filename": "a", "filenames": ["b", "c"], "file_names": ["d"]}
    assert list_file_names(file_forms(tool("filename", "filenames", "file_names"), {}), sent) == ["a", "b", "c", "d"]


def test_repeated_file_name_is_listed_once() -> None:
    assert list_file_names(
        file_forms(tool("filename", "filenames"), {}), {"filename": "a", "filenames": ["b", "a", "b"]}
    ) == ["a", "b"]


@pytest.mark.clause("v2.1:files:only-these")
def test_undeclared_arguments_are_no_file_arguments() -> None:
    assert (
        list_file_names(file_forms(tool("filename", "path"), {}), {"filenames": ["a"], "path": "b", "file_name": "c"})
        == []
    )


@pytest.mark.parametrize("sent", [None, 5, True, {"a": 1}, "", [""], [None, 3, ["a"], {"a": 1}]])
def test_values_other_than_names_are_ignored(sent: object) -> None:
    assert list_file_names(file_forms(tool("filename", "filenames"), {}), {"filename": sent, "filenames": sent}) == []


def to_path(name: str) -> str:
    return {"a": "/in/a", "b": "/in/b"}.get(name, name)


def to_path_in_any_form(name: str, *, form: str) -> str:
    assert form == "file"
    return to_path(name)


def test_schema_and_configuration_name_further_file_arguments_with_their_forms() -> None:
    spec = tool("filename", "path", "uri", "file_data_base64", "text")
    spec.input_schema["properties"]["upload"] = {"type": "string", "x-mcp-file": {}}

    assert file_forms(spec, {"path": "file", "uri": "uri", "absent": "file"}) == {
        "filename": "file",
        "file_data_base64": "base64",
        "upload": "data",
        "path": "file",
        "uri": "uri",
    }


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
def test_file_names_are_replaced_and_other_values_are_unchanged(sent: dict[str, Any], received: dict[str, Any]) -> None:
    assert (
        replace_file_names(
            file_forms(tool("filename", "filenames", "file_names", "text"), {}), sent, to_path_in_any_form
        )
        == received
    )


@pytest.mark.clause("v2.1:files:only-these")
def test_undeclared_argument_is_not_replaced() -> None:
    assert replace_file_names(file_forms(tool("filename"), {}), {"filenames": ["a"]}, to_path_in_any_form) == {
        "filenames": ["a"]
    }


# Original names


@pytest.mark.parametrize(
    ("fields", "sent", "filled"),
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
def test_original_names_are_filled_in_if_the_tool_declares_them(
    fields: list[str], sent: dict[str, Any], filled: dict[str, Any]
) -> None:
    assert fill_original_names(tool(*fields), sent, to_path) == sent | filled


def test_similar_names_come_best_first_and_at_most_three() -> None:
    known = ["sales.csv", "sale.csv", "sales_2.csv", "sales_23.csv", "picture.png"]
    assert find_similar_names("sales.csvv", known) == ["sales.csv", "sale.csv", "sales_2.csv"]


def test_unrelated_name_has_no_similar_names() -> None:
    assert find_similar_names("qqqqqqqq", ["sales.csv"]) == []


def test_keyword_is_found_in_arguments_and_in_their_items_in_the_order_of_the_schema() -> None:
    properties = {
        "first": {"type": "array", "items": {"type": "string", "x-mcp-file": {"maxSize": 1}}},
        "second": {"type": "string", "x-mcp-file": {}},
        "third": {"type": "string"},
    }
    spec = ToolSpec(server="s", name="t", description="", input_schema={"type": "object", "properties": properties})

    assert list(spec.values_of("x-mcp-file").items()) == [("first", {"maxSize": 1}), ("second", {})]
