"""Attacks on the running system without sandbox layers of the kernel, compared with docs/security.md."""

import re
from pathlib import Path

from tests.attacks.attack_run import attack_target, call, run_attacks, sandboxed_system
from tests.attacks.process_level import SUCCESSFUL_ATTACKS
from tests.e2e.system_process import ROOT
from tests.e2e.user_client import UserClient, run_user

SECURITY = ROOT / "docs/security.md"


def test_attacks_succeed_as_documented_and_blocked_reads_name_read_paths(tmp_path: Path) -> None:
    with sandboxed_system("process", tmp_path / "mcp.json") as system, attack_target() as target:
        mallory = UserClient(system.url, run_user("mallory"))
        report = run_attacks(mallory, target)
        read = call(mallory, "file_access.reach", way="read", path=str(target.bob / "secret"))

        assert mallory.isolation_level() == "process"
    assert read["results"] == {"error": "File read outside allowed directories"}
    assert "`read_paths`" in read["meta_data"]["details"]["suggestion"]
    assert report.succeeded - set(SUCCESSFUL_ATTACKS) == set()
    [(successful, total)] = re.findall(r"\*\*(\d+) of (\d+)\*\* attacks", SECURITY.read_text(encoding="utf-8"))
    assert (int(successful), int(total)) == (len(SUCCESSFUL_ATTACKS), len(report.outcomes))
