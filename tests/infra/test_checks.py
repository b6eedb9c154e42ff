"""cdk-nag and cfn-lint report nothing that the constructs do not acknowledge with a reason."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from infra.sources import ROOT
from tests.infra.synthesis import SINGLE_CONSTRUCTS

pytestmark = pytest.mark.synth
CHECKED = ("default", "custom_settings", "without_site", "bridge")


def _reports(synthesized: Path, deployment: str) -> list[dict[str, Any]]:
    report = json.loads((synthesized / deployment / "validation-report.json").read_text())
    plugin_reports: list[dict[str, Any]] = report["pluginReports"]
    return plugin_reports


@pytest.mark.parametrize("deployment", CHECKED)
def test_cdk_nag_finds_no_unacknowledged_violation(synthesized: Path, deployment: str) -> None:
    reports = {report["pluginName"]: report for report in _reports(synthesized, deployment)}
    assert reports.keys() == {"AwsSolutions", "Serverless"}
    assert {name: (each["conclusion"], each["violations"]) for name, each in reports.items()} == {
        name: ("success", []) for name in reports
    }


@pytest.mark.parametrize("deployment", CHECKED)
def test_acknowledgments_have_a_reason_and_are_on_the_construct_itself(synthesized: Path, deployment: str) -> None:
    acknowledged = [each for report in _reports(synthesized, deployment) for each in report["suppressedViolations"]]
    assert len(acknowledged) > 20
    for each in acknowledged:
        assert len(each["reason"].split()) > 4
        # A construct below the stack (``satchel-service/Api/…``), never the whole stack.
        assert each["acknowledgedAt"].count("/") >= 1
        paths = [construct["constructPath"] for construct in each["violatingConstructs"]]
        assert all(path.startswith(each["acknowledgedAt"]) for path in paths)


def test_cfn_lint_finds_nothing(synthesized: Path) -> None:
    templates = [str(path) for path in (synthesized / "default").glob("*.template.json")]
    assert len(templates) == 2
    command = [str(Path(sys.executable).with_name("cfn-lint")), *templates]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603  (fixed arguments)
    assert (result.returncode, result.stdout) == (0, "")


def test_wildcard_resource_without_a_reason_raises(synthesized: Path) -> None:
    error = json.loads((synthesized / SINGLE_CONSTRUCTS).read_text())["wildcard_error"]
    assert error == "stack/Function has permissions on ['arn:aws:s3:::files/*'] without a reason"
