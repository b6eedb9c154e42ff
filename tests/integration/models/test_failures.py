"""What goes wrong on the wire, and what becomes of the answer."""

import logging
from dataclasses import replace

import pytest

from satchel.domain.conversation import CompletionRequest, ModelReply, ProposedCall, ToolSpec, UserMessage
from satchel.domain.ids import TurnId
from satchel.domain.llm import (
    ContentFiltered,
    ContextTooLong,
    ModelAccessDenied,
    ModelCutOff,
    ModelError,
    ModelNotFound,
    ModelQuotaExceeded,
    ModelRefused,
    ModelReplyUnreadable,
    ModelRequestRejected,
    ModelThrottled,
    ModelTimedOut,
    ModelUnavailable,
)
from satchel.ports.llm import Model
from satchel.services.turns.token_streamer import TokenStreamer
from tests.fake_providers.replies import Answer, ErrorKind, ErrorReply, FinishReason, Reply
from tests.fake_providers.server import PROVIDERS, FakeEndpoint
from tests.fakes.llm import FakeStreamListener
from tests.fakes.system import FakeClock
from tests.fakes.turns import FakeEvents
from tests.integration.models.conftest import KEY, Ready, patient

SECRET = "the colour of the moon"
TASK = CompletionRequest(
    instructions="Be brief.",
    messages=[UserMessage(text=f"What is {SECRET}?")],
    tools=[ToolSpec(server="sky", name="look")],
)
WHOLE = Answer(["The ", "answer ", "is ", "white."], [("sky_look", '{"at": "moon"}')])
TURN = TurnId("20240827-t")

each_provider = pytest.mark.parametrize("provider", PROVIDERS)


def why(model: Model) -> ModelError:
    with pytest.raises(ModelError) as caught:
        model.reply(TASK, FakeStreamListener())
    return caught.value


@each_provider
@pytest.mark.parametrize(
    ("refusal", "error"),
    [
        (ErrorKind.THROTTLED, ModelThrottled),
        (ErrorKind.FAILING, ModelUnavailable),
        (ErrorKind.OVERLOADED, ModelUnavailable),
        (ErrorKind.QUOTA, ModelQuotaExceeded),
        (ErrorKind.TOO_LONG, ContextTooLong),
        (ErrorKind.NO_KEY, ModelAccessDenied),
        (ErrorKind.NO_MODEL, ModelNotFound),
        (ErrorKind.REJECTED, ModelRequestRejected),
    ],
)
def test_a_refused_request_says_why(
    provider: str, refusal: ErrorKind, error: type[ModelError], endpoint: FakeEndpoint, ready: Ready
) -> None:
    endpoint.replies = [ErrorReply(refusal)]
    assert type(why(ready(provider))) is error
    assert len(endpoint.requests) == 1  # nobody but us asks again


@each_provider
@pytest.mark.parametrize(
    ("reason", "errors"),
    [(FinishReason.FILTERED, {ContentFiltered, ModelRefused}), (FinishReason.REFUSED, {ModelRefused})],
)
def test_an_answer_that_was_stopped_is_none(
    provider: str, reason: FinishReason, errors: set[type[ModelError]], endpoint: FakeEndpoint, ready: Ready
) -> None:
    endpoint.replies = [Answer(["I can", "not"], reason=reason)]
    assert type(why(ready(provider))) in errors


@each_provider
@pytest.mark.parametrize("frames", [0, 3, 5])
def test_an_answer_that_breaks_off_is_none(provider: str, frames: int, endpoint: FakeEndpoint, ready: Ready) -> None:
    endpoint.replies = [replace(WHOLE, cut_after=frames)]
    error = why(ready(provider))
    assert isinstance(error, ModelCutOff if frames else (ModelCutOff, ModelUnavailable))
    assert error.retryable


@each_provider
def test_an_answer_whose_end_is_missing_is_none(provider: str, endpoint: FakeEndpoint, ready: Ready) -> None:
    """All its text has come and the connection is closed in order; but that it was all, nobody has said."""
    ends = {"bedrock": 6, "openai-chat": 5, "anthropic": 6}
    endpoint.replies = [replace(WHOLE, calls=(), ends_after=ends[provider])]
    assert type(why(ready(provider))) is ModelCutOff


@each_provider
def test_an_answer_that_is_none_of_the_format_is_none(provider: str, endpoint: FakeEndpoint, ready: Ready) -> None:
    endpoint.replies = [replace(WHOLE, garbled_after=3)]
    assert type(why(ready(provider))) is ModelReplyUnreadable


@each_provider
@pytest.mark.parametrize("act", [Answer(["late"], silence=30), replace(WHOLE, stuck_after=3)])
def test_a_model_that_is_silent_for_too_long_is_given_up(
    provider: str, act: Answer, endpoint: FakeEndpoint, ready: Ready
) -> None:
    endpoint.replies = [act]
    assert type(why(ready(provider, silence=0.5))) is ModelTimedOut
    if not (provider == "bedrock" and act.silence):  # botocore's thread waits on, for its read_timeout
        assert endpoint.client_disconnected.wait(5)


@each_provider
def test_nobody_there_is_told_as_such(provider: str, endpoint: FakeEndpoint, ready: Ready) -> None:
    endpoint.replies = [ErrorReply(ErrorKind.FAILING)]
    error = why(ready(provider))
    assert (error.code, error.provider_status.partition(" ")[0]) == ("E_MODEL_UNAVAILABLE", "500")


# Request again


def told(model: Model) -> tuple[ModelReply, dict[int, str], list[int]]:
    """Ask as Think does; return the reply, what its listeners have, and the attempts that they saw."""
    clock = FakeClock()
    events = FakeEvents(clock)
    streamer = TokenStreamer(events, clock, TURN, 0)
    reply = model.reply(TASK, streamer)
    streamer.finish(reply.text)
    return reply, events.streamed_text(TURN), sorted({payload["attempt"] for _, payload in events.payloads(TURN)})


@each_provider
@pytest.mark.parametrize(
    ("acts", "attempts"),
    [
        ([ErrorReply(ErrorKind.THROTTLED)], [0]),
        ([ErrorReply(ErrorKind.FAILING), ErrorReply(ErrorKind.OVERLOADED), ErrorReply(ErrorKind.THROTTLED)], [0]),
        ([replace(WHOLE, cut_after=4)], [0, 1]),
        ([replace(WHOLE, garbled_after=4)], [0, 1]),
        ([replace(WHOLE, cut_after=4), ErrorReply(ErrorKind.FAILING), replace(WHOLE, cut_after=0)], [0, 1]),
    ],
)
def test_what_passes_is_asked_again_and_the_answer_that_stands_is_what_was_heard(
    provider: str, acts: list[Reply], attempts: list[int], endpoint: FakeEndpoint, ready: Ready
) -> None:
    endpoint.replies = [*acts, WHOLE]
    reply, streamed, seen = told(patient(ready(provider), FakeClock()))
    assert reply.text == "The answer is white."
    assert [(call.tool, call.arguments) for call in reply.calls] == [("sky.look", '{"at": "moon"}')]
    assert isinstance(reply.calls[0], ProposedCall)
    assert streamed == {0: "The answer is white."}
    assert seen == attempts
    assert len(endpoint.requests) == len(acts) + 1


@each_provider
def test_after_four_times_it_is_left_to_others_to_try_again(
    provider: str, endpoint: FakeEndpoint, ready: Ready
) -> None:
    endpoint.replies = [ErrorReply(ErrorKind.THROTTLED)] * 9
    clock = FakeClock()
    begun = clock.monotonic()
    assert type(why(patient(ready(provider), clock))) is ModelThrottled
    assert len(endpoint.requests) == 4
    assert 2 < clock.monotonic() - begun < 5


@each_provider
def test_what_would_not_pass_is_not_asked_again(provider: str, endpoint: FakeEndpoint, ready: Ready) -> None:
    endpoint.replies = [ErrorReply(ErrorKind.NO_KEY)] * 9
    assert type(why(patient(ready(provider), FakeClock()))) is ModelAccessDenied
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize("provider", ["openai-chat", "anthropic"])
def test_a_provider_that_says_how_long_to_wait_is_waited_for(
    provider: str, endpoint: FakeEndpoint, ready: Ready
) -> None:
    endpoint.replies = [ErrorReply(ErrorKind.THROTTLED, {"retry-after": "20"})]
    clock = FakeClock()
    begun = clock.monotonic()
    patient(ready(provider), clock).reply(TASK, FakeStreamListener())
    assert 20 <= clock.monotonic() - begun < 21


@each_provider
def test_who_asks_for_longer_than_there_is_time_is_not_waited_for(
    provider: str, endpoint: FakeEndpoint, ready: Ready
) -> None:
    if provider == "bedrock":
        pytest.skip("Bedrock does not say how long to wait")
    endpoint.replies = [ErrorReply(ErrorKind.THROTTLED, {"retry-after": "3600"})]
    assert type(why(patient(ready(provider), FakeClock()))) is ModelThrottled


# What is written down of it


@each_provider
@pytest.mark.parametrize("refusal", list(ErrorKind))
def test_neither_key_nor_question_is_logged_or_told(
    provider: str, refusal: ErrorKind, endpoint: FakeEndpoint, ready: Ready, caplog: pytest.LogCaptureFixture
) -> None:
    endpoint.replies = [ErrorReply(refusal)] * 4
    with caplog.at_level(logging.INFO):
        error = why(patient(ready(provider), FakeClock()))
    shown = f"{error} {error.__dict__} {error.__cause__} {[record.__dict__ for record in caplog.records]}"
    assert KEY not in shown
    assert SECRET not in shown
    assert endpoint.requests[0].headers
    assert error.__suppress_context__
