import pytest

from local.runners.context import LambdaContext
from local.runners.functions import RunnerFunction


def test_an_environment_sees_an_allow_list_and_its_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/bin")
    monkeypatch.setenv("GITHUB_TOKEN", "secret")
    monkeypatch.setenv("AWS_PROFILE", "production")
    function = RunnerFunction(name="f", target="m:h", settings={"SATCHEL_SERVER": "report"})
    environ = function.environ
    assert environ["PATH"] == "/bin"
    assert environ["SATCHEL_SERVER"] == "report"
    assert "GITHUB_TOKEN" not in environ
    assert "AWS_PROFILE" not in environ


def test_no_time_is_left_after_the_deadline() -> None:
    context = LambdaContext(function_name="f", invoked_function_arn="arn", deadline=0.0)
    assert context.get_remaining_time_in_millis() == 0
