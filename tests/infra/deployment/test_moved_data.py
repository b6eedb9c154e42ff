"""The data of one machine, exported and imported into the deployed stacks, whose functions then read it."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest
from typer.testing import CliRunner, Result

from local.cli.main import app
from local.emulator.data import command
from local.emulator.data.stack import StackImport
from tests.e2e.moved_data import MovedData, export_session
from tests.e2e.user_client import run_user
from tests.e2e.user_data import read_data
from tests.infra.deployment.scenario import new_user
from tests.infra.deployment.system import DeployedSystem

pytestmark = [pytest.mark.synth, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def moved(tmp_path_factory: pytest.TempPathFactory) -> MovedData:
    return export_session(tmp_path_factory.mktemp("moved"), run_user("moved"))


def only(ids: Mapping[str, str]) -> str:
    (physical_id,) = ids.values()
    return physical_id


def import_into(system: DeployedSystem, archive: Path) -> Result:
    table, bucket = only(system.physical_ids("DynamoDB::Table")), system.physical_ids("S3::Bucket")["Files"]
    return CliRunner().invoke(app, ["data", "import", str(archive), "--table", table, "--bucket", bucket])


def test_stack_has_the_same_data_after_an_interrupted_import_without_links(
    moved: MovedData, system: DeployedSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "_PROGRESS_SECONDS", 0)
    with monkeypatch.context() as patch:
        patch.setattr(StackImport, "_add_items", interrupt)
        assert isinstance(import_into(system, moved.archive).exception, KeyboardInterrupt | SystemExit)

    result = import_into(system, moved.archive)

    user = replace(new_user(system), name=moved.user.name)
    assert (result.exit_code, read_data(user)) == (0, moved.data)
    assert user.request("GET", moved.link).status_code == httpx2.codes.NOT_FOUND
    steps = {line.partition(":")[0] for line in result.stderr.splitlines()}
    assert steps == {"verifying contents", "importing contents", "importing items"}
    assert " 0 were new" not in result.stdout
    assert " 0 were there already" not in result.stdout


def interrupt(*_: object) -> None:
    raise KeyboardInterrupt
