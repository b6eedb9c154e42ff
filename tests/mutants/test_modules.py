"""The list of mutated modules fits the code."""

import pytest

from tests.mutants.document import DOCUMENT, score
from tests.mutants.modules import ROOT, Module, Mutant, read_modules, squeeze

MODULES = read_modules()
MUTANT = Mutant("Signer.sign", "return a + b", "return a - b")


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.path)
def test_module_has_existing_tests(module: Module) -> None:
    assert module.tests
    assert [name for name in module.tests if not (ROOT / name).is_file()] == []


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.path)
def test_code_of_each_listed_survivor_is_in_its_module(module: Module) -> None:
    source = squeeze(module.source.read_text("utf-8"))
    assert [str(mutant) for mutant in module.survivors if mutant.removed not in source] == []


def test_each_module_is_listed_once_and_has_a_score() -> None:
    paths = [module.path for module in MODULES]
    assert len(set(paths)) == len(paths)
    page = DOCUMENT.read_text("utf-8")
    assert [path for path in paths if f"| `{path}` |" not in page] == []


def test_survivor_is_listed_with_its_reason() -> None:
    text = f"""
        [[module]]
        path = "domain/ids.py"
        more_tests = ["tests/unit/domain/test_object_keys.py"]

        [[module.survivors]]
        reason = "Both are equal."
        mutants = ['''
          {MUTANT.function}
          - {MUTANT.removed}
          + {MUTANT.inserted}
        ''']
    """
    tests = ("tests/unit/domain/test_ids.py", "tests/unit/domain/test_object_keys.py")
    assert read_modules(text) == [Module("domain/ids.py", tests, {MUTANT: "Both are equal."})]


@pytest.mark.parametrize("mutant", [MUTANT, Mutant("sign", "return a", ""), Mutant("sign", "- a - b", "- a + b")])
def test_text_of_a_mutant_round_trips(mutant: Mutant) -> None:
    assert Mutant.parse(str(mutant)) == mutant


@pytest.mark.parametrize("text", ["", "sign\n+ a\n- b", "sign\n- a"])
def test_text_of_another_form_is_rejected(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        Mutant.parse(text)


def test_score_is_rounded_down() -> None:
    assert score(9499, 10_000) == "94.9 %"
