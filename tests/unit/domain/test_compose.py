"""The final response of a turn (DESIGN: HTTP API; spec 2 §7, spec 3 §8)."""

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


def shown(*calls: Call) -> list[tuple[int, str, int]]:
    return [(a.position, a.name, a.version) for a in compose_response(TURN, calls).artifacts]


def test_a_turn_that_runs_shows_what_there_is_so_far() -> None:
    waiting = call().model_copy(update={"result": None, "injected": {"filename": "a.csv"}})
    assert compose_response(TURN, [waiting]) == FinalResponse(
        turn_id=TURN_ID,
        session_id=TURN.session_id,
        status="running",
        model="offline",
        tool_calls=[
            ToolCallSummary(
                call_id=waiting.call_id, tool="report.summarise", server="report", arguments={"filename": "a.csv"}
            )
        ],
    )


def test_a_turn_that_ended_shows_how_and_what_was_said() -> None:
    error = TurnError(error_code="E_TURN_FAILED", message="Sorry.")
    ended = TURN.model_copy(update={"status": TurnStatus.FAILED, "answer": "Half of", "error": error})
    assert compose_response(ended, []) == FinalResponse(
        turn_id=TURN_ID, session_id=TURN.session_id, status="failed", message="Half of", model="offline", error=error
    )


def test_a_call_is_summed_up_with_what_it_came_to() -> None:
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
def test_the_primary_file_comes_first_and_the_others_as_they_were_made() -> None:
    made = call(artifact("a"), artifact("b"), artifact("c"), display=Display(primary_file="c"))
    assert shown(made) == [(0, "c", 1), (1, "a", 1), (2, "b", 1)]


def test_a_file_made_twice_in_a_turn_is_shown_once_as_it_is_now() -> None:
    assert shown(call(artifact("a"), artifact("b")), call(artifact("a", version=2), index=1)) == [
        (0, "a", 2),
        (1, "b", 1),
    ]


def test_of_calls_side_by_side_the_later_one_may_have_made_the_older_version() -> None:
    assert shown(call(artifact("a", version=2)), call(artifact("a", version=1), index=1)) == [(0, "a", 2)]


@pytest.mark.clause("v2:display:first-showable", "v2:canvas:auto-open")
def test_without_any_hint_the_canvas_opens_at_the_first_thing_that_can_be_shown() -> None:
    composed = compose_response(TURN, [call(artifact("data.bin"), artifact("page.html", showable=True))])
    assert composed.display == ResponseDisplay(open_canvas=True, primary_file="page.html")
    assert [a.name for a in composed.artifacts] == ["page.html", "data.bin"]


@pytest.mark.clause("v2:canvas:auto-open")
def test_without_any_hint_and_anything_to_show_the_canvas_stays_closed() -> None:
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
def test_with_a_hint_the_canvas_opens_only_where_it_says_so(hint: Display, opens: bool) -> None:  # noqa: FBT001 (a row)
    assert compose_response(TURN, [call(artifact("a", showable=True), display=hint)]).display.open_canvas is opens


@pytest.mark.clause("v2:display:viewer-hint", "v2.1:display:fields")
def test_every_word_of_the_hint_is_kept() -> None:
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
def test_a_primary_file_that_there_is_not_gives_way_to_one_that_can_be_shown() -> None:
    made = call(artifact("a"), artifact("b", showable=True), display=Display(primary_file="gone"))
    assert compose_response(TURN, [made]).display.primary_file == "b"


def test_of_several_hints_the_last_one_stands() -> None:
    first = call(artifact("a"), display=Display(open_canvas=True, primary_file="a"))
    then = call(artifact("b"), index=1, display=Display(primary_file="b"))
    silent = call(index=2)
    assert compose_response(TURN, [first, then, silent]).display == ResponseDisplay(primary_file="b")


def test_a_call_without_a_hint_opens_the_canvas_whatever_was_said_before_it() -> None:
    first = call(artifact("a", showable=True), display=Display(open_canvas=False, primary_file="a", mode="split"))
    then = call(artifact("b", showable=True), index=1)
    assert compose_response(TURN, [first, then]).display == ResponseDisplay(
        open_canvas=True, primary_file="a", mode="split"
    )


def test_a_call_without_a_hint_and_anything_to_show_leaves_the_canvas_as_it_was_said_before() -> None:
    first = call(artifact("a", showable=True), display=Display(open_canvas=False))
    assert not compose_response(TURN, [first, call(artifact("data.bin"), index=1)]).display.open_canvas


def test_a_later_hint_closes_what_came_before_it_without_one() -> None:
    first = call(artifact("a", showable=True))
    then = call(index=1, display=Display(open_canvas=False))
    assert compose_response(TURN, [first, then]).display == ResponseDisplay(open_canvas=False, primary_file="a")


def test_without_any_hint_the_first_thing_that_can_be_shown_may_come_from_any_call() -> None:
    made = [call(artifact("data.bin")), call(artifact("page.html", showable=True), index=1)]
    assert compose_response(TURN, made).display == ResponseDisplay(open_canvas=True, primary_file="page.html")


def test_a_file_that_waits_is_no_primary_file() -> None:
    waiting = ResponseDeferred(name="draft.html", file_key=key("d"), mime="text/html", size=1)
    made = call(artifact("a", showable=True), deferred=(waiting,), display=Display(primary_file="draft.html"))
    assert compose_response(TURN, [made]).display.primary_file == "a"


def test_the_last_canvas_is_shown() -> None:
    first = call(canvas=ResponseCanvas(id="old", url="https://old.example"))
    new = ResponseCanvas(id="new", url="https://new.example", title="Live", wants_token=True)
    assert compose_response(TURN, [first, call(index=1, canvas=new), call(index=2)]).canvas == new


def test_files_that_wait_are_listed_apart() -> None:
    waiting = ResponseDeferred(name="draft.docx", file_key=key("d"), mime="a/b", size=1, reason="needs_editing")
    composed = compose_response(TURN, [call(artifact("a"), deferred=(waiting,))])
    assert composed.deferred_artifacts == [waiting]
    assert [a.name for a in composed.artifacts] == ["a"]
