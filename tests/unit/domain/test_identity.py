"""Who may use what."""

import pytest
from pydantic import ValidationError

from satchel.domain.identity import Identity


def test_everybody_signed_in_is_in_users() -> None:
    assert Identity(name="alice").groups == {"users"}


def test_a_server_without_groups_is_open_to_everybody() -> None:
    assert Identity(name="alice", groups=frozenset()).may_use([])


def test_a_server_is_open_to_whoever_shares_a_group_with_it() -> None:
    alice = Identity(name="alice", groups=frozenset({"users", "finance"}))
    assert alice.may_use(["admins", "finance"])
    assert not alice.may_use(["admins"])


def test_an_identity_cannot_be_changed_once_made() -> None:
    alice = Identity(name="alice")
    with pytest.raises(ValidationError):
        alice.name = "bob"  # type: ignore[misc]  # that it may not is the test


def test_a_name_that_could_be_a_path_is_nobody() -> None:
    with pytest.raises(ValidationError):
        Identity(name="../bob")
