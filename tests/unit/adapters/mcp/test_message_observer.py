import pytest
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from satchel.adapters.mcp.message_observer import MessageObserver


def _ignore(_id: str) -> None:
    """Ignore a completed page."""


def test_last_result_is_recorded_unchanged() -> None:
    observer = MessageObserver(_ignore)
    observer.record(
        SessionMessage(JSONRPCResponse(jsonrpc="2.0", id=1, result={"content": [{"type": "new"}], "more": 1}))
    )

    assert observer.result == {"content": [{"type": "new"}], "more": 1}


def test_question_of_the_server_is_recorded() -> None:
    observer = MessageObserver(_ignore)
    observer.record(SessionMessage(JSONRPCRequest(jsonrpc="2.0", id=1, method="sampling/createMessage")))

    assert observer.question == "sampling/createMessage"


@pytest.mark.parametrize(
    "notice", ["tools/list_changed", "resources/list_changed", "prompts/list_changed", "resources/updated"]
)
def test_changed_list_is_remembered_until_it_is_taken(notice: str) -> None:
    observer = MessageObserver(_ignore)
    observer.record(SessionMessage(JSONRPCNotification(jsonrpc="2.0", method=f"notifications/{notice}")))
    observer.reset()

    assert [observer.take_tools_changed(), observer.take_tools_changed()] == [True, False]


def test_completed_page_of_a_question_is_announced_with_its_id() -> None:
    completed: list[str] = []
    observer = MessageObserver(completed.append)
    notice = JSONRPCNotification(
        jsonrpc="2.0", method="notifications/elicitation/complete", params={"elicitationId": "e1"}
    )
    observer.record(SessionMessage(notice))

    assert completed == ["e1"]


def test_pings_notifications_and_invalid_messages_are_ignored() -> None:
    observer = MessageObserver(_ignore)
    observer.record(SessionMessage(JSONRPCRequest(jsonrpc="2.0", id=1, method="ping")))
    observer.record(SessionMessage(JSONRPCNotification(jsonrpc="2.0", method="notifications/progress")))
    observer.record(ValueError("no JSON"))

    assert (observer.result, observer.question, observer.take_tools_changed()) == (None, None, False)
