import json

import pytest

from satchel.adapters.signing_keys import SigningKeys

KEY = "k" * 40


def test_secret_names_the_newest_key() -> None:
    text = json.dumps({"newest": "b", "a": KEY, "b": KEY[::-1]})

    assert SigningKeys.parse(text) == SigningKeys(newest="b", keys={"a": KEY, "b": KEY[::-1]})


def test_key_of_32_characters_is_long_enough() -> None:
    assert SigningKeys.parse(json.dumps({"newest": "a", "a": "k" * 32})).keys == {"a": "k" * 32}


NOT_STRINGS = "the secret of the signing keys is not a JSON object of strings"
NO_NEWEST = "the newest signing key is not among the keys"
SHORT = "a signing key has fewer than 32 characters"


@pytest.mark.parametrize(
    ("stored", "problem"),
    [
        (None, NOT_STRINGS),
        (5, NOT_STRINGS),
        ("text", NOT_STRINGS),
        ([], NOT_STRINGS),
        ([KEY], NOT_STRINGS),
        ({"newest": ["a"], "a": KEY}, NOT_STRINGS),
        ({"newest": None, "a": KEY}, NOT_STRINGS),
        ({"newest": "a", "a": 5}, NOT_STRINGS),
        ({"newest": "a", "a": KEY, "b": {"c": KEY}}, NOT_STRINGS),
        ({}, NO_NEWEST),
        ({"newest": "a"}, NO_NEWEST),
        ({"newest": "newest"}, NO_NEWEST),
        ({"a": KEY}, NO_NEWEST),
        ({"newest": "b", "a": KEY}, NO_NEWEST),
        ({"newest": "a", "a": ""}, SHORT),
        ({"newest": "a", "a": "k" * 31}, SHORT),
        ({"newest": "a", "a": KEY, "b": ""}, SHORT),
    ],
)
def test_secret_of_another_form_is_rejected(stored: object, problem: str) -> None:
    with pytest.raises(ValueError, match=f"^{problem}$"):
        SigningKeys.parse(json.dumps(stored))


@pytest.mark.parametrize("text", ["", "{", "not json"])
def test_secret_that_is_not_json_is_rejected(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        SigningKeys.parse(text)


def test_error_does_not_contain_the_key(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ValueError, match=r".+") as raised:
        SigningKeys.parse(json.dumps({"newest": "b", "a": KEY}))

    assert KEY not in str(raised.value) + caplog.text


class TestRotated:
    OLD, FIRST, SECOND = "o" * 40, "a" * 40, "b" * 40

    def test_first_rotation_adds_two_keys(self) -> None:
        keys = SigningKeys(newest="k1", keys={"k1": self.OLD}).rotated((self.FIRST, self.SECOND))

        assert keys == SigningKeys(newest="k2", keys={"k1": self.OLD, "k2": self.FIRST, "k3": self.SECOND})

    def test_later_rotation_signs_with_the_prepared_key_and_drops_the_oldest(self) -> None:
        first = SigningKeys(newest="k1", keys={"k1": self.OLD}).rotated((self.FIRST, self.SECOND))

        second = first.rotated(("c" * 40, "d" * 40))

        assert second == SigningKeys(newest="k3", keys={"k2": self.FIRST, "k3": self.SECOND, "k4": "c" * 40})

    def test_text_round_trips(self) -> None:
        keys = SigningKeys(newest="k1", keys={"k1": self.OLD}).rotated((self.FIRST, self.SECOND))

        assert SigningKeys.parse(keys.text()) == keys

    def test_key_id_without_a_number_is_rejected(self) -> None:
        with pytest.raises(ValueError, match="newest"):
            SigningKeys(newest="newest-of-all", keys={"newest-of-all": self.OLD}).rotated((self.FIRST, self.SECOND))
