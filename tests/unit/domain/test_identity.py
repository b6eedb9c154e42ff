"""Who may use what."""

import pytest
from pydantic import ValidationError

from satchel.domain.ids import UserName
from satchel.domain.users import Identity


def test_everybody_signed_in_is_in_users() -> None:
    assert Identity(name="alice").groups == {"users"}


def test_an_identity_cannot_be_changed_once_made() -> None:
    alice = Identity(name="alice")
    with pytest.raises(ValidationError):
        alice.name = UserName("bob")  # type: ignore[misc]  # that it may not is the test


def test_a_name_that_could_be_a_path_is_nobody() -> None:
    with pytest.raises(ValidationError):
        Identity(name="../bob")
