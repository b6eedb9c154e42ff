"""Errors of providers and connections, and the retries that follow."""

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
from tests.integration.models.conftest import KEY, ModelFactory, with_retries

SECRET = "the colour of the moon"
REQUEST = CompletionRequest(
    instructions="Be brief.",
    messages=[UserMessage(text=f"What is {SECRET}?")],
    tools=[ToolSpec(server="sky", name="look")],
)
COMPLETE = Answer(["The ", "answer ", "is ", "white."], [("sky_look", '{"at": "moon"}')])
TURN = TurnId("t01kabcdefghjkmnpqrstvwxyz0")

each_provider = pytest.mark.parametrize("provider", PROVIDERS)


def get_error(model: Model) -> ModelError:
    with pytest.raises(ModelError) as raised:
        model.reply(REQUEST, FakeStreamListener())
    return raised.value


@each_provider
@pytest.mark.parametrize(
    ("kind", "error"),
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
def test_error_response_is_mapped(
    provider: str, kind: ErrorKind, error: type[ModelError], endpoint: FakeEndpoint, get_model: ModelFactory
) -> None:
    endpoint.replies = [ErrorReply(kind)]
    assert type(get_error(get_model(provider))) is error
    assert len(endpoint.requests) == 1  # the provider's client does not retry


@each_provider
@pytest.mark.parametrize(
    ("reason", "errors"),
    [(FinishReason.FILTERED, {ContentFiltered, ModelRefused}), (FinishReason.REFUSED, {ModelRefused})],
)
def test_filtered_or_refused_answer_is_an_error(
    provider: str, reason: FinishReason, errors: set[type[ModelError]], endpoint: FakeEndpoint, get_model: ModelFactory
) -> None:
    endpoint.replies = [Answer(["I can", "not"], reason=reason)]
    assert type(get_error(get_model(provider))) in errors


@each_provider
@pytest.mark.parametrize("frames", [0, 3, 5])
def test_interrupted_answer_is_an_error(
    provider: str, frames: int, endpoint: FakeEndpoint, get_model: ModelFactory
) -> None:
    endpoint.replies = [replace(COMPLETE, cut_after=frames)]
    error = get_error(get_model(provider))
    assert isinstance(error, ModelCutOff if frames else (ModelCutOff, ModelUnavailable))
    assert error.retryable


@each_provider
def test_answer_without_an_end_marker_is_an_error(
    provider: str, endpoint: FakeEndpoint, get_model: ModelFactory
) -> None:
    """All text arrives and the connection closes normally, but the provider does not mark the answer as complete."""
    ends = {"bedrock": 6, "openai-chat": 5, "anthropic": 6}
    endpoint.replies = [replace(COMPLETE, calls=(), ends_after=ends[provider])]
    assert type(get_error(get_model(provider))) is ModelCutOff


@each_provider
def test_malformed_answer_is_an_error(provider: str, endpoint: FakeEndpoint, get_model: ModelFactory) -> None:
    endpoint.replies = [replace(COMPLETE, garbled_after=3)]
    assert type(get_error(get_model(provider))) is ModelReplyUnreadable


@each_provider
@pytest.mark.parametrize("answer", [Answer(["late"], silence=30), replace(COMPLETE, stuck_after=3)])
def test_silent_model_times_out(provider: str, answer: Answer, endpoint: FakeEndpoint, get_model: ModelFactory) -> None:
    endpoint.replies = [answer]
    assert type(get_error(get_model(provider, silence=0.5))) is ModelTimedOut
    if not (provider == "bedrock" and answer.silence):  # botocore's thread keeps waiting, until its read_timeout
        assert endpoint.client_disconnected.wait(5)


@each_provider
def test_error_contains_the_status_of_the_response(
    provider: str, endpoint: FakeEndpoint, get_model: ModelFactory
) -> None:
    endpoint.replies = [ErrorReply(ErrorKind.FAILING)]
    error = get_error(get_model(provider))
    assert (error.code, error.provider_status.partition(" ")[0]) == ("E_MODEL_UNAVAILABLE", "500")


# Retries


def stream(model: Model) -> tuple[ModelReply, dict[int, str], list[int]]:
    """Send a request like a turn. Return the reply, the streamed text by round, and the events' attempt numbers."""
    clock = FakeClock()
    events = FakeEvents(clock)
    streamer = TokenStreamer(events, clock, TURN, 0)
    reply = model.reply(REQUEST, streamer)
    if event := streamer.publish_all_but_last(reply.text):
        events.append(TURN, event)
    return reply, events.streamed_text(TURN), sorted({payload["attempt"] for _, payload in events.payloads(TURN)})


@each_provider
@pytest.mark.parametrize(
    ("failures", "attempts"),
    [
        ([ErrorReply(ErrorKind.THROTTLED)], [0]),
        ([ErrorReply(ErrorKind.FAILING), ErrorReply(ErrorKind.OVERLOADED), ErrorReply(ErrorKind.THROTTLED)], [0]),
        ([replace(COMPLETE, cut_after=4)], [0, 1]),
        ([replace(COMPLETE, garbled_after=4)], [0, 1]),
        ([replace(COMPLETE, cut_after=4), ErrorReply(ErrorKind.FAILING), replace(COMPLETE, cut_after=0)], [0, 1]),
    ],
)
def test_temporary_errors_are_retried_and_the_last_answer_is_streamed(
    provider: str, failures: list[Reply], attempts: list[int], endpoint: FakeEndpoint, get_model: ModelFactory
) -> None:
    endpoint.replies = [*failures, COMPLETE]
    reply, streamed, seen_attempts = stream(with_retries(get_model(provider), FakeClock()))
    assert reply.text == "The answer is white."
    assert [(call.tool, call.arguments) for call in reply.calls] == [("sky.look", '{"at": "moon"}')]
    assert isinstance(reply.calls[0], ProposedCall)
    assert streamed == {0: "The answer is white."}
    assert seen_attempts == attempts
    assert len(endpoint.requests) == len(failures) + 1


@each_provider
def test_fourth_failure_is_raised(provider: str, endpoint: FakeEndpoint, get_model: ModelFactory) -> None:
    endpoint.replies = [ErrorReply(ErrorKind.THROTTLED)] * 9
    clock = FakeClock()
    start = clock.monotonic()
    assert type(get_error(with_retries(get_model(provider), clock))) is ModelThrottled
    assert len(endpoint.requests) == 4
    assert 2 < clock.monotonic() - start < 5


@each_provider
def test_permanent_error_is_not_retried(provider: str, endpoint: FakeEndpoint, get_model: ModelFactory) -> None:
    endpoint.replies = [ErrorReply(ErrorKind.NO_KEY)] * 9
    assert type(get_error(with_retries(get_model(provider), FakeClock()))) is ModelAccessDenied
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize("provider", ["openai-chat", "anthropic"])
def test_retry_waits_as_long_as_the_provider_asks(
    provider: str, endpoint: FakeEndpoint, get_model: ModelFactory
) -> None:
    endpoint.replies = [ErrorReply(ErrorKind.THROTTLED, {"retry-after": "20"})]
    clock = FakeClock()
    start = clock.monotonic()
    with_retries(get_model(provider), clock).reply(REQUEST, FakeStreamListener())
    assert 20 <= clock.monotonic() - start < 21


@each_provider
def test_error_is_raised_if_the_requested_delay_exceeds_the_timeout(
    provider: str, endpoint: FakeEndpoint, get_model: ModelFactory
) -> None:
    if provider == "bedrock":
        pytest.skip("Bedrock does not say how long to wait")
    endpoint.replies = [ErrorReply(ErrorKind.THROTTLED, {"retry-after": "3600"})]
    assert type(get_error(with_retries(get_model(provider), FakeClock()))) is ModelThrottled


# Logs


@each_provider
@pytest.mark.parametrize("kind", list(ErrorKind))
def test_key_and_question_are_not_in_the_log_or_error(
    provider: str, kind: ErrorKind, endpoint: FakeEndpoint, get_model: ModelFactory, caplog: pytest.LogCaptureFixture
) -> None:
    endpoint.replies = [ErrorReply(kind)] * 4
    with caplog.at_level(logging.INFO):
        error = get_error(with_retries(get_model(provider), FakeClock()))
    output = f"{error} {error.__dict__} {error.__cause__} {[record.__dict__ for record in caplog.records]}"
    assert KEY not in output
    assert SECRET not in output
    assert endpoint.requests[0].headers
    assert error.__suppress_context__
