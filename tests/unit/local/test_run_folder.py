from pathlib import Path

import pytest

from local.run_folder import RunFolder


@pytest.fixture(autouse=True)
def _temp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


def test_nothing_is_left_of_runners_that_had_nothing_to_say(tmp_path: Path) -> None:
    with RunFolder() as folder:
        (folder.logs / "quiet.log").touch()
        (folder.scratch / "satchel-x").mkdir()
        (folder.scratch / "satchel-x/big").write_text("x")

    assert not folder.is_kept
    assert list(tmp_path.iterdir()) == []


def test_a_log_in_which_something_stands_is_kept_and_nothing_else() -> None:
    with RunFolder() as folder:
        (folder.logs / "quiet.log").touch()
        (folder.logs / "loud.log").write_text("it broke")
        (folder.scratch / "file").write_text("x")

    assert folder.is_kept
    assert [path.name for path in folder.path.rglob("*")] == ["logs", "loud.log"]
