import pytest

from local.emulator.runners.functions import RunnerFunction


def test_environment_gets_its_settings_and_only_allowed_variables_of_the_parent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "/bin")
    monkeypatch.setenv("GITHUB_TOKEN", "secret")
    monkeypatch.setenv("AWS_PROFILE", "production")
    function = RunnerFunction(name="f", target="m:h", settings={"SATCHEL_SERVER": "report"})
    environ = function.environ
    assert environ["PATH"] == "/bin"
    assert environ["SATCHEL_SERVER"] == "report"
    assert "GITHUB_TOKEN" not in environ
    assert "AWS_PROFILE" not in environ
