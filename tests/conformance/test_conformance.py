"""The official conformance suite of MCP for clients (``@modelcontextprotocol/conformance``), against the real client.

``scenarios.toml`` lists the scenarios that pass, and those that are expected to fail, each with its reason.
"""

import tomllib
from collections.abc import Mapping

import pytest

from tests.conformance.conftest import FOLDER, Checks

SCENARIOS = tomllib.loads((FOLDER / "scenarios.toml").read_text())
FAILING: Mapping[str, str] = SCENARIOS["expected_failures"]
NOT_APPLICABLE: Mapping[str, str] = SCENARIOS["not_applicable"]


def _failures(checks: Checks) -> list[str]:
    bad = [check for check in checks if check["status"] in {"FAILURE", "WARNING"}]
    return [f"{check['id']}: {check.get('errorMessage') or check['description']}" for check in bad]


def _passes(checks: Checks) -> bool:
    return not _failures(checks) and any(check["status"] == "SUCCESS" for check in checks)


@pytest.mark.parametrize("scenario", SCENARIOS["passes"])
def test_scenario_passes(scenario: str, results: Mapping[str, Checks]) -> None:
    assert _failures(results[scenario]) == []
    assert _passes(results[scenario]), "the suite checked nothing"


@pytest.mark.parametrize("scenario", FAILING)
def test_expected_failure_still_fails(scenario: str, results: Mapping[str, Checks]) -> None:
    assert not _passes(results[scenario]), "it passes now: move it to `passes` in scenarios.toml"


@pytest.mark.parametrize("scenario", NOT_APPLICABLE)
def test_scenario_of_an_unused_extension_checks_nothing(scenario: str, results: Mapping[str, Checks]) -> None:
    assert {check["status"] for check in results[scenario]} <= {"SKIPPED", "INFO"}


def test_every_scenario_of_the_suite_is_listed_once(results: Mapping[str, Checks]) -> None:
    assert sorted([*SCENARIOS["passes"], *FAILING, *NOT_APPLICABLE]) == sorted(results)
