import types

import pytest

from local.aws.seams.patching import original, replace


class Owner:
    def name(self) -> str:
        return "original"


def test_a_replacement_takes_the_place_and_can_call_the_original() -> None:
    owner = type("Copy", (Owner,), dict(vars(Owner)))
    before = original(owner, "name")
    replace(owner, "name", lambda self: f"not the {before(self)}")
    assert owner().name() == "not the original"


@pytest.mark.parametrize("owner", [Owner, types.ModuleType("empty")])
def test_a_place_that_is_not_there_is_noticed(owner: type | types.ModuleType) -> None:
    with pytest.raises(AttributeError):
        replace(owner, "renamed", None)
