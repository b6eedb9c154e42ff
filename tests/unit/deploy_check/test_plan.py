import json
from pathlib import Path

import pytest

from infra.servers import UndeployableError
from infra.settings import UnknownSettingError
from local.deploy_check.plan import ContextError, read_plan


def write(file: Path, content: object) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(content))


def test_options_replace_cdk_json_which_replaces_the_users_file(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "project"
    write(home / ".cdk.json", {"context": {"name": "home", "log_retention": "1", "max_rounds": "2"}})
    write(folder / "cdk.context.json", {"name": "looked-up", "availability-zones:account=1": ["a"]})
    write(folder / "cdk.json", {"app": "x", "context": {"name": "project", "max_rounds": 3}})
    settings = read_plan(["name=option", "web_origins=https://a=b"], folder, home).settings
    assert (settings.name, settings.max_rounds, settings.log_retention) == ("option", 3, 1)
    assert settings.web_origins == ["https://a=b"]
    assert read_plan([], folder, home).settings.name == "project"


def test_without_files_all_settings_have_their_defaults(tmp_path: Path) -> None:
    plan = read_plan([], tmp_path, tmp_path)
    assert (plan.data_stack, plan.service_stack) == ("satchel-data", "satchel-service")
    assert plan.runners == [
        "satchel-run-calculator",
        "satchel-run-documents",
        "satchel-run-legacy",
        "satchel-run-report",
    ]


def test_option_without_a_value_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ContextError, match="-c name: write it as -c setting=value"):
        read_plan(["name"], tmp_path, tmp_path)


def test_unknown_setting_is_an_error(tmp_path: Path) -> None:
    write(tmp_path / "cdk.json", {"context": {"nam": "x"}})
    with pytest.raises(UnknownSettingError, match="did you mean 'name'"):
        read_plan([], tmp_path, tmp_path)


def test_file_that_is_not_json_is_an_error_with_its_path(tmp_path: Path) -> None:
    (tmp_path / "cdk.json").write_text("{")
    with pytest.raises(ContextError, match=r"cdk\.json"):
        read_plan([], tmp_path, tmp_path)


def test_server_that_cannot_be_deployed_is_an_error(tmp_path: Path) -> None:
    write(tmp_path / "mcp.json", {"odd": {"command": ["sh", "-c", "x"]}})
    with pytest.raises(UndeployableError, match="odd"):
        read_plan([f"servers={tmp_path}"], tmp_path, tmp_path)
