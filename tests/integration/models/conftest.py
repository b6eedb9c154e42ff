from collections.abc import Iterator
from dataclasses import replace
from typing import Protocol

import pytest

from satchel.adapters import clients
from satchel.adapters.event_loop import EventLoop
from satchel.adapters.llm.connection import ModelOptions
from satchel.adapters.llm.model_router import ModelName, load_provider
from satchel.adapters.llm.retrying_model import RetryingModel
from satchel.adapters.llm.streaming_model import StreamingModel, Timeouts
from satchel.adapters.server_config import environment_variables
from satchel.adapters.system_clock import SystemClock
from tests.fake_providers.server import PROVIDERS, FakeEndpoint
from tests.fakes.system import FakeClock

KEY = "sk-wrong-0123456789abcdef"
KEYS = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY}
AWS = {"AWS_ACCESS_KEY_ID": "AKIATEST", "AWS_SECRET_ACCESS_KEY": KEY, "AWS_DEFAULT_REGION": "us-east-1"}


class Ready(Protocol):
    def __call__(self, provider: str, silence: float = 10.0) -> StreamingModel: ...


@pytest.fixture(scope="module")
def loop() -> Iterator[EventLoop]:
    loop = EventLoop()
    yield loop
    loop.close()


@pytest.fixture(scope="module")
def serving() -> Iterator[FakeEndpoint]:
    with FakeEndpoint().running() as endpoint:
        yield endpoint


@pytest.fixture
def endpoint(serving: FakeEndpoint) -> FakeEndpoint:
    serving.replies, serving.requests, serving.first_text_times = [], [], []
    serving.client_disconnected.clear()
    return serving


@pytest.fixture(scope="module")
def made(serving: FakeEndpoint, loop: EventLoop) -> Iterator[dict[str, StreamingModel]]:
    """Return the model of each provider, served by the endpoint."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in AWS.items():
            patch.setenv(name, value)
        clients.bedrock.cache_clear()
        models = {provider: _model(serving.model_name(provider), loop) for provider in PROVIDERS}
        yield models
        for model in models.values():
            model.close()
        clients.bedrock.cache_clear()


@pytest.fixture
def ready(endpoint: FakeEndpoint, made: dict[str, StreamingModel]) -> Ready:
    """Have a provider's model, which may be silent for so many seconds."""
    del endpoint

    def find(provider: str, silence: float = 10.0) -> StreamingModel:
        return replace(made[provider], timeouts=Timeouts(silence, 30.0))

    return find


def _model(named: str, loop: EventLoop) -> StreamingModel:
    name = ModelName.parse(named)
    wanted = ModelOptions(name.model_id, environment_variables(KEYS), name.address, 15.0)
    return StreamingModel(load_provider(name.provider).connect(wanted), {}, loop, SystemClock(), Timeouts())


def patient(model: StreamingModel, clock: FakeClock) -> RetryingModel:
    """Let it be asked again without waiting."""
    return RetryingModel(model, clock, clock.advance, 270)
