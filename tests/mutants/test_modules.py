"""The list of mutated modules fits the code."""

import pytest

from tests.mutants.__main__ import problems
from tests.mutants.document import DOCUMENT, Counts, parse, render, score
from tests.mutants.modules import ROOT, Module, Mutant, read_modules, squeeze
from tests.mutants.run import Result

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
    assert list(parse(DOCUMENT.read_text("utf-8"))) == paths


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.path)
def test_page_and_list_agree_on_the_survivors_of_a_module(module: Module) -> None:
    counts = parse(DOCUMENT.read_text("utf-8"))[module.path]
    survivors = counts.total - counts.killed
    # Mutants of equal lines of a function are listed once.
    assert len(module.survivors) <= survivors
    assert bool(module.survivors) is bool(survivors)


def test_page_round_trips() -> None:
    page = DOCUMENT.read_text("utf-8")
    assert render(parse(page)) == page


def test_last_line_of_the_page_is_the_sum() -> None:
    counts = {"a.py": Counts(10, 9, 1), "b.py": Counts(20, 20, 2)}
    assert render(counts).splitlines()[-1] == "| all | 30 | 29 | 3 | 1 | 96.6 % |"


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


@pytest.mark.parametrize(("timeouts", "count"), [(0, 0), (2, 0), (3, 1)])
def test_many_mutants_that_are_killed_by_time_are_a_problem(timeouts: int, count: int) -> None:
    result = Result(Module("a.py", (), {}), 20, 20, timeouts, frozenset())
    assert len(list(problems(result))) == count


def test_score_is_rounded_down() -> None:
    assert score(9499, 10_000) == "94.9 %"
