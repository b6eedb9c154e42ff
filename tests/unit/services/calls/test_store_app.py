"""Apps in the runner: the page becomes a file of the call, and the state is stored beside it."""

from satchel.contract import APP_MIME, ArtifactProblem
from satchel.domain.apps import MAX_STATE_BYTES, AppPage, AppPolicy, AppState, state_key
from satchel.ports.runners import CallOrder
from satchel.ports.tool_client import AppAnswer, AppRequest
from tests.unit.services.orders import CALL_ID, USER, order
from tests.unit.services.runner import Runner, result_of

PAGE = AppPage(uri="ui://demo/page", html="<p>Hi", meta={"csp": {"resourceDomains": ["https://cdn.example"]}})
RESULT = {"content": [], "structuredContent": {"results": 1}}


def app_order() -> CallOrder:
    return order().model_copy(update={"app_uri": PAGE.uri, "app_title": "Demo"})


def answered(runner: Runner, answer: AppAnswer) -> None:
    runner.client.script = [(1, result_of({"results": 1}).model_copy(update={"app": answer}))]


def state(runner: Runner) -> AppState:
    return AppState.model_validate_json(runner.store.objects[state_key(USER, CALL_ID)].body)


def test_app_is_stored_as_the_first_file_with_its_state(runner: Runner) -> None:
    answered(runner, AppAnswer(result=RESULT, page=PAGE))
    [file] = runner.report(app_order()).files
    artifact = file.artifact
    assert (artifact.name, artifact.mime, file.declared) == ("summarise.app.html", APP_MIME, True)
    assert runner.store.objects[file.key].body == b"<p>Hi"
    assert state(runner) == AppState(
        uri=PAGE.uri, policy=AppPolicy(resource_domains=["https://cdn.example"]), result=RESULT
    )
    assert runner.client.started[0].app == AppRequest(PAGE.uri)


def test_call_of_an_app_stores_only_the_result(runner: Runner) -> None:
    answered(runner, AppAnswer(result=RESULT))
    assert runner.report(order().model_copy(update={"from_app": True})).files == []
    assert (state(runner).uri, state(runner).result) == (None, RESULT)


def test_app_that_cannot_be_shown_is_a_problem(runner: Runner) -> None:
    answered(runner, AppAnswer(result=RESULT, problem="no page"))
    report = runner.report(app_order())
    assert report.problems == [ArtifactProblem(name="summarise.app.html", reason="no page")]


def test_result_that_is_too_large_for_an_app_becomes_an_error(runner: Runner) -> None:
    answered(runner, AppAnswer(result={"content": [{"type": "text", "text": "x" * MAX_STATE_BYTES}]}, page=PAGE))
    runner.run(app_order())
    assert state(runner).result["isError"] is True
    assert "too large for the app: 4.0 MB" in state(runner).result["content"][0]["text"]


def test_other_calls_request_no_app(runner: Runner) -> None:
    runner.run(order())
    assert runner.client.started[0].app is None
