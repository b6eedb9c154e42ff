"""What others' rules find in the stacks: nothing that is not acknowledged where it is, with a reason."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from infra.sources import ROOT
from tests.infra.synthesis import SINGLE_CONSTRUCTS

pytestmark = pytest.mark.synth
CHECKED = ("default", "choices")


def _reports(synthesised: Path, deployment: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((synthesised / deployment / "validation-report.json").read_text())[
        "pluginReports"
    ]
    return found


@pytest.mark.parametrize("deployment", CHECKED)
def test_cdk_nag_finds_nothing_that_nobody_knows_of(synthesised: Path, deployment: str) -> None:
    reports = {report["pluginName"]: report for report in _reports(synthesised, deployment)}
    assert reports.keys() == {"AwsSolutions", "Serverless"}
    assert {name: (each["conclusion"], each["violations"]) for name, each in reports.items()} == {
        name: ("success", []) for name in reports
    }


@pytest.mark.parametrize("deployment", CHECKED)
def test_what_is_known_is_acknowledged_on_its_own_construct_with_a_reason(synthesised: Path, deployment: str) -> None:
    known = [each for report in _reports(synthesised, deployment) for each in report["suppressedViolations"]]
    assert len(known) > 20
    for each in known:
        assert len(each["reason"].split()) > 4
        # Below the stack: ``satchel-service/Api/…``, never the stack as a whole.
        assert each["acknowledgedAt"].count("/") >= 1
        paths = [construct["constructPath"] for construct in each["violatingConstructs"]]
        assert all(path.startswith(each["acknowledgedAt"]) for path in paths)


def test_cfn_lint_finds_nothing(synthesised: Path) -> None:
    templates = [str(path) for path in (synthesised / "default").glob("*.template.json")]
    assert len(templates) == 2
    command = [str(Path(sys.executable).with_name("cfn-lint")), *templates]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603  (our templates)
    assert (done.returncode, done.stdout) == (0, "")


def test_nobody_may_reach_further_than_one_resource_without_a_reason(synthesised: Path) -> None:
    refusal = json.loads((synthesised / SINGLE_CONSTRUCTS).read_text())["refusal"]
    assert refusal == "stack/Somebody may do something with ['arn:aws:s3:::files/*'], and nobody says why"
