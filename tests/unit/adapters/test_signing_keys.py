import json

import pytest

from satchel.adapters.jwt_signer import SigningKeys

KEY = "k" * 40


def test_the_secret_names_the_newest_of_its_keys() -> None:
    text = json.dumps({"newest": "b", "a": KEY, "b": KEY[::-1]})

    assert SigningKeys.parse(text) == SigningKeys(newest="b", keys={"a": KEY, "b": KEY[::-1]})


@pytest.mark.parametrize(
    "stored",
    [
        None,
        5,
        "text",
        [],
        [KEY],
        {},
        {"newest": "a"},
        {"newest": "newest"},
        {"a": KEY},
        {"newest": "b", "a": KEY},
        {"newest": ["a"], "a": KEY},
        {"newest": None, "a": KEY},
        {"newest": "a", "a": 5},
        {"newest": "a", "a": ""},
        {"newest": "a", "a": "short"},
        {"newest": "a", "a": KEY, "b": ""},
        {"newest": "a", "a": KEY, "b": {"c": KEY}},
    ],
)
def test_any_other_secret_is_refused(stored: object) -> None:
    with pytest.raises(ValueError, match=r".+"):
        SigningKeys.parse(json.dumps(stored))


@pytest.mark.parametrize("text", ["", "{", "not json"])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        SigningKeys.parse(text)


def test_what_is_refused_is_not_told(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ValueError, match=r".+") as refused:
        SigningKeys.parse(json.dumps({"newest": "b", "a": KEY}))

    assert KEY not in str(refused.value) + caplog.text
