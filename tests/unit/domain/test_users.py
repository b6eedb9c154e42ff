"""The signed-in user."""

import pytest
from pydantic import ValidationError

from satchel.domain.ids import UserName
from satchel.domain.users import Identity


def test_user_is_in_the_default_group() -> None:
    assert Identity(name="alice").groups == {"users"}


def test_identity_is_immutable() -> None:
    alice = Identity(name="alice")
    with pytest.raises(ValidationError):
        alice.name = UserName("bob")  # type: ignore[misc]  # the test is that this fails


def test_name_with_a_path_is_invalid() -> None:
    with pytest.raises(ValidationError):
        Identity(name="../bob")
