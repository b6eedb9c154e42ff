import json

import pytest

from satchel.adapters.signing_keys import SigningKeys

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


class TestRotated:
    OLD, FRESH, MORE = "o" * 40, "a" * 40, "b" * 40

    def test_the_first_time_both_keys_are_new(self) -> None:
        keys = SigningKeys(newest="k1", keys={"k1": self.OLD}).rotated((self.FRESH, self.MORE))

        assert keys == SigningKeys(newest="k2", keys={"k1": self.OLD, "k2": self.FRESH, "k3": self.MORE})

    def test_from_then_on_the_prepared_key_signs_and_the_one_before_the_last_is_gone(self) -> None:
        first = SigningKeys(newest="k1", keys={"k1": self.OLD}).rotated((self.FRESH, self.MORE))

        second = first.rotated(("c" * 40, "d" * 40))

        assert second == SigningKeys(newest="k3", keys={"k2": self.FRESH, "k3": self.MORE, "k4": "c" * 40})

    def test_the_secret_is_read_as_it_was_written(self) -> None:
        keys = SigningKeys(newest="k1", keys={"k1": self.OLD}).rotated((self.FRESH, self.MORE))

        assert SigningKeys.parse(keys.text()) == keys

    def test_a_key_that_is_not_numbered_cannot_be_followed(self) -> None:
        with pytest.raises(ValueError, match="newest"):
            SigningKeys(newest="newest-of-all", keys={"newest-of-all": self.OLD}).rotated((self.FRESH, self.MORE))
