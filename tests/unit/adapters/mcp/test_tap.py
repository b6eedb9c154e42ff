from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from satchel.adapters.mcp.message_observer import MessageObserver


def test_the_last_result_is_kept_as_it_was_sent() -> None:
    tap = MessageObserver()
    tap.note(SessionMessage(JSONRPCResponse(jsonrpc="2.0", id=1, result={"content": [{"type": "new"}], "more": 1})))

    assert tap.result == {"content": [{"type": "new"}], "more": 1}


def test_a_question_back_is_noticed() -> None:
    tap = MessageObserver()
    tap.note(SessionMessage(JSONRPCRequest(jsonrpc="2.0", id=1, method="sampling/createMessage")))

    assert tap.asked == "sampling/createMessage"


def test_that_the_tools_are_others_is_remembered_until_it_was_asked_for() -> None:
    tap = MessageObserver()
    tap.note(SessionMessage(JSONRPCNotification(jsonrpc="2.0", method="notifications/tools/list_changed")))
    tap.forget()

    assert [tap.tools_changed(), tap.tools_changed()] == [True, False]


def test_pings_notifications_and_junk_are_not() -> None:
    tap = MessageObserver()
    tap.note(SessionMessage(JSONRPCRequest(jsonrpc="2.0", id=1, method="ping")))
    tap.note(SessionMessage(JSONRPCNotification(jsonrpc="2.0", method="notifications/progress")))
    tap.note(ValueError("no JSON"))

    assert (tap.result, tap.asked, tap.tools_changed()) == (None, None, False)
