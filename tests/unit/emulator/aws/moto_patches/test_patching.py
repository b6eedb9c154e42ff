import types

import pytest

from local.emulator.aws.moto_patches.patching import original, replace


class Owner:
    def name(self) -> str:
        return "original"


def test_replacement_can_call_the_original() -> None:
    owner = type("Copy", (Owner,), dict(vars(Owner)))
    original_name = original(owner, "name")
    replace(owner, "name", lambda self: f"not the {original_name(self)}")
    assert owner().name() == "not the original"


@pytest.mark.parametrize("owner", [Owner, types.ModuleType("empty")])
def test_missing_attribute_raises_attribute_error(owner: type | types.ModuleType) -> None:
    with pytest.raises(AttributeError):
        replace(owner, "renamed", None)
