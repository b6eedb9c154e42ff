"""The data of one machine, exported and imported into another."""

from pathlib import Path

import httpx2

from tests.e2e.moved_data import export_session, interrupt_at_first_content, start_data_command
from tests.e2e.system_process import running_system
from tests.e2e.user_client import fetch, run_user
from tests.e2e.user_data import read_data


def test_second_machine_has_the_same_data_after_an_interrupted_import_without_links(tmp_path: Path) -> None:
    moved, second = export_session(tmp_path, run_user("moved")), tmp_path / "second"
    process = start_data_command(second, "import", str(moved.archive))
    interrupt_at_first_content(process, second)
    if process.returncode != 0:
        process = start_data_command(second, "import", str(moved.archive))
        output, _ = process.communicate()
        assert process.returncode == 0, output

    with running_system(settings={"SATCHEL_DATA": str(second)}) as system:
        assert read_data(moved.as_user(system.url)) == moved.data
        assert fetch(system.url + moved.link).status_code == httpx2.codes.NOT_FOUND
    assert [len(moved.data.sessions), len(moved.data.files)] == [2, 4]
