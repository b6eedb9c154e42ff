"""Composition of a turn's response from its calls and display hints."""

from datetime import UTC, datetime

import pytest

from satchel.contract import Display
from satchel.domain.calls import Call, CallResult
from satchel.domain.ids import TurnId, call_id, new_id
from satchel.domain.response_composition import compose_response
from satchel.domain.responses import (
    FinalResponse,
    ResponseArtifact,
    ResponseCanvas,
    ResponseDeferred,
    ResponseDisplay,
    ToolCallSummary,
    TurnError,
)
from satchel.domain.sessions import Turn, TurnStatus

NOW = datetime(2024, 8, 27, tzinfo=UTC)
TURN_ID = TurnId(new_id("t", NOW, bytes(10)))
TURN = Turn(
    turn_id=TURN_ID,
    session_id=new_id("s", NOW, bytes(10)),
    user="alice",
    groups=["users"],
    message="Hello",
    created_at=NOW,
)


def key(name: str) -> str:
    return new_id("f", NOW, name.encode().rjust(10, b"\0"))


def artifact(name: str, *, showable: bool = False, version: int = 1) -> ResponseArtifact:
    return ResponseArtifact(
        id=key(name),
        type="text/html",
        title=name,
        position=99,
        name=name,
        mime="text/html",
        size=1,
        viewer="html",
        showable=showable,
        file_key=key(name),
        version=version,
    )


def call(
    *artifacts: ResponseArtifact,
    index: int = 0,
    display: Display | None = None,
    canvas: ResponseCanvas | None = None,
    deferred: tuple[ResponseDeferred, ...] = (),
) -> Call:
    result = CallResult(
        is_error=False,
        results={"n": index},
        artifacts=list(artifacts),
        deferred=list(deferred),
        display=display,
        canvas=canvas,
    )
    return Call(
        call_id=call_id(TURN_ID, 0, index),
        turn_id=TURN_ID,
        session_id=TURN.session_id,
        user="alice",
        tool="report.summarise",
        arguments="{}",
        ref="r",
        round=0,
        index=index,
        result=result,
    )


def positions(*calls: Call) -> list[tuple[int, str, int]]:
    return [(a.position, a.name, a.version) for a in compose_response(TURN, calls).artifacts]


def test_running_turn_has_a_partial_response() -> None:
    unfinished = call().model_copy(update={"result": None, "injected": {"filename": "a.csv"}})
    assert compose_response(TURN, [unfinished]) == FinalResponse(
        turn_id=TURN_ID,
        session_id=TURN.session_id,
        status="running",
        model="offline",
        tool_calls=[
            ToolCallSummary(
                call_id=unfinished.call_id, tool="report.summarise", server="report", arguments={"filename": "a.csv"}
            )
        ],
    )


def test_ended_turn_has_status_answer_and_error() -> None:
    error = TurnError(error_code="E_TURN_FAILED", message="Sorry.")
    ended = TURN.model_copy(update={"status": TurnStatus.FAILED, "answer": "Half of", "error": error})
    assert compose_response(ended, []) == FinalResponse(
        turn_id=TURN_ID, session_id=TURN.session_id, status="failed", message="Half of", model="offline", error=error
    )


def test_call_summary_contains_the_result() -> None:
    result = CallResult(
        is_error=True,
        error_code="E_TOOL_FAILED",
        results={"error": "x"},
        meta_data={"is_error": True},
        duration_ms=12,
    )
    failed = call().model_copy(update={"result": result, "injected": {"a": 1}})
    assert compose_response(TURN, [failed]).tool_calls == [
        ToolCallSummary(
            call_id=failed.call_id,
            tool="report.summarise",
            server="report",
            arguments={"a": 1},
            is_error=True,
            error_code="E_TOOL_FAILED",
            results={"error": "x"},
            meta_data={"is_error": True},
            duration_ms=12,
        )
    ]


@pytest.mark.clause("v2:display:primary-file", "v2:display:others", "v5:artifacts:position")
def test_primary_file_comes_first_and_the_others_keep_their_order() -> None:
    finished = call(artifact("a"), artifact("b"), artifact("c"), display=Display(primary_file="c"))
    assert positions(finished) == [(0, "c", 1), (1, "a", 1), (2, "b", 1)]


@pytest.mark.clause("v2.1:artifacts:same-turn")
def test_each_version_of_a_file_in_a_turn_has_its_own_entry() -> None:
    assert positions(call(artifact("a"), artifact("b")), call(artifact("a", version=2), index=1)) == [
        (0, "a", 1),
        (1, "b", 1),
        (2, "a", 2),
    ]


@pytest.mark.clause("v2:display:first-showable", "v2:canvas:auto-open")
def test_without_hints_the_canvas_opens_with_the_first_showable_file() -> None:
    composed = compose_response(TURN, [call(artifact("data.bin"), artifact("page.html", showable=True))])
    assert composed.display == ResponseDisplay(open_canvas=True, primary_file="page.html")
    assert [a.name for a in composed.artifacts] == ["page.html", "data.bin"]


@pytest.mark.clause("v2:canvas:auto-open")
def test_without_hints_and_showable_files_the_canvas_stays_closed() -> None:
    assert compose_response(TURN, [call(artifact("data.bin"))]).display == ResponseDisplay()


@pytest.mark.clause("v2.1:display:open-canvas", "v2.1:display:store-and-open")
@pytest.mark.parametrize(
    ("hint", "opens"),
    [
        (Display(), False),
        (Display(open_canvas=False), False),
        (Display(open_canvas=True), True),
        (Display(storage_action="store_and_open"), True),
        (Display(storage_action="temporary"), False),
    ],
)
def test_with_a_hint_the_canvas_opens_only_if_it_says_so(hint: Display, opens: bool) -> None:  # noqa: FBT001 (a row)
    assert compose_response(TURN, [call(artifact("a", showable=True), display=hint)]).display.open_canvas is opens


@pytest.mark.clause("v2:display:viewer-hint", "v2.1:display:fields")
def test_all_fields_of_the_hint_are_in_the_response() -> None:
    hint = Display(
        open_canvas=True,
        primary_file="a",
        mode="split",
        viewer_hint="html",
        storage_action="temporary",
        category_hint="report",
        notification="Two files were stored.",
    )
    assert compose_response(TURN, [call(artifact("a"), display=hint)]).display == ResponseDisplay(
        open_canvas=True,
        primary_file="a",
        mode="split",
        viewer_hint="html",
        storage_action="temporary",
        category_hint="report",
        notification="Two files were stored.",
    )


@pytest.mark.clause("v2:display:first-showable")
def test_missing_primary_file_is_replaced_by_the_first_showable_file() -> None:
    finished = call(artifact("a"), artifact("b", showable=True), display=Display(primary_file="gone"))
    assert compose_response(TURN, [finished]).display.primary_file == "b"


def test_last_of_several_hints_wins() -> None:
    first = call(artifact("a"), display=Display(open_canvas=True, primary_file="a"))
    then = call(artifact("b"), index=1, display=Display(primary_file="b"))
    silent = call(index=2)
    assert compose_response(TURN, [first, then, silent]).display == ResponseDisplay(primary_file="b")


def test_later_showable_file_without_a_hint_opens_the_canvas() -> None:
    first = call(artifact("a", showable=True), display=Display(open_canvas=False, primary_file="a", mode="split"))
    then = call(artifact("b", showable=True), index=1)
    assert compose_response(TURN, [first, then]).display == ResponseDisplay(
        open_canvas=True, primary_file="a", mode="split"
    )


def test_later_call_without_hint_and_showable_file_leaves_the_canvas_closed() -> None:
    first = call(artifact("a", showable=True), display=Display(open_canvas=False))
    assert not compose_response(TURN, [first, call(artifact("data.bin"), index=1)]).display.open_canvas


def test_later_hint_closes_the_canvas_of_an_earlier_call_without_hint() -> None:
    first = call(artifact("a", showable=True))
    then = call(index=1, display=Display(open_canvas=False))
    assert compose_response(TURN, [first, then]).display == ResponseDisplay(open_canvas=False, primary_file="a")


def test_first_showable_file_may_come_from_any_call() -> None:
    finished = [call(artifact("data.bin")), call(artifact("page.html", showable=True), index=1)]
    assert compose_response(TURN, finished).display == ResponseDisplay(open_canvas=True, primary_file="page.html")


def test_deferred_file_is_never_the_primary_file() -> None:
    deferred_file = ResponseDeferred(name="draft.html", file_key=key("d"), mime="text/html", size=1)
    finished = call(artifact("a", showable=True), deferred=(deferred_file,), display=Display(primary_file="draft.html"))
    assert compose_response(TURN, [finished]).display.primary_file == "a"


def test_response_has_the_last_canvas() -> None:
    first = call(canvas=ResponseCanvas(id="old", url="https://old.example"))
    new = ResponseCanvas(id="new", url="https://new.example", title="Live", wants_token=True)
    assert compose_response(TURN, [first, call(index=1, canvas=new), call(index=2)]).canvas == new


@pytest.mark.clause("v2:canvas:several")
def test_response_has_each_dashboard_once_in_the_order_in_which_they_were_opened() -> None:
    one, two, again = (ResponseCanvas(id=id_, url=f"https://{n}.example") for n, id_ in enumerate(["a", "b", "a"]))
    composed = compose_response(TURN, [call(index=n, canvas=each) for n, each in enumerate([one, two, again])])
    assert (composed.canvases, composed.canvas) == ([two, again], again)


@pytest.mark.clause("v2.1:artifacts:failed-call")
def test_display_hint_of_a_failed_call_opens_nothing() -> None:
    hint = Display(open_canvas=True, storage_action="store_and_open", mode="split")
    failed = call(index=1, display=hint)
    assert failed.result is not None
    failed.result.is_error = True
    assert compose_response(TURN, [call(artifact("data.bin")), failed]).display == ResponseDisplay()


@pytest.mark.clause("v5:artifacts:empty")
def test_display_hint_without_files_and_dashboards_opens_nothing() -> None:
    hint = Display(open_canvas=True)
    assert not compose_response(TURN, [call(display=hint)]).display.open_canvas
    canvas = ResponseCanvas(id="a", url="https://a.example")
    assert compose_response(TURN, [call(display=hint, canvas=canvas)]).display.open_canvas


def test_deferred_files_are_listed_separately() -> None:
    deferred_file = ResponseDeferred(name="draft.docx", file_key=key("d"), mime="a/b", size=1, reason="needs_editing")
    composed = compose_response(TURN, [call(artifact("a"), deferred=(deferred_file,))])
    assert composed.deferred_artifacts == [deferred_file]
    assert [a.name for a in composed.artifacts] == ["a"]
