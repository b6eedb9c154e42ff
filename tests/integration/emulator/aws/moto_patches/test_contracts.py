from pathlib import Path

from local.emulator.aws.moto_patches import PATCHES


def test_every_patch_has_a_test_and_every_test_belongs_to_a_patch() -> None:
    here = Path(__file__)
    tests = {path.stem.removeprefix("test_") for path in here.parent.glob("test_*.py") if path != here}
    patches_of = {test: {patch for patch in PATCHES if test == patch or test.startswith(f"{patch}_")} for test in tests}
    assert {test for test, patches in patches_of.items() if len(patches) != 1} == set()
    assert set.union(*patches_of.values()) == set(PATCHES)
