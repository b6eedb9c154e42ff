"""Attacks on the running system without sandbox layers of the kernel, compared with docs/security.md."""

import re
from pathlib import Path

from tests.attacks.attack_run import attack_target, run_attacks, sandboxed_system
from tests.attacks.process_level import SUCCESSFUL_ATTACKS
from tests.e2e.system_process import ROOT
from tests.e2e.user_client import UserClient

SECURITY = ROOT / "docs/security.md"


def test_number_of_successful_attacks_matches_the_docs(tmp_path: Path) -> None:
    with sandboxed_system("process", tmp_path / "mcp.json") as system, attack_target() as target:
        mallory = UserClient(system.url, "mallory@example.com")
        report = run_attacks(mallory, target)

        assert mallory.request("GET", "/api/config").json()["isolation_level"] == "process"
    assert report.succeeded - set(SUCCESSFUL_ATTACKS) == set()
    [(successful, total)] = re.findall(r"\*\*(\d+) of (\d+)\*\* attacks", SECURITY.read_text(encoding="utf-8"))
    assert (int(successful), int(total)) == (len(SUCCESSFUL_ATTACKS), len(report.outcomes))
