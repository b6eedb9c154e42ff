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


class ModelFactory(Protocol):
    def __call__(self, provider: str, silence: float = 10.0) -> StreamingModel: ...


@pytest.fixture(scope="module")
def loop() -> Iterator[EventLoop]:
    loop = EventLoop()
    yield loop
    loop.close()


@pytest.fixture(scope="module")
def running_endpoint() -> Iterator[FakeEndpoint]:
    with FakeEndpoint().running() as endpoint:
        yield endpoint


@pytest.fixture
def endpoint(running_endpoint: FakeEndpoint) -> FakeEndpoint:
    running_endpoint.replies, running_endpoint.requests, running_endpoint.first_text_times = [], [], []
    running_endpoint.client_disconnected.clear()
    return running_endpoint


@pytest.fixture(scope="module")
def models(running_endpoint: FakeEndpoint, loop: EventLoop) -> Iterator[dict[str, StreamingModel]]:
    """The model of each provider, connected to the endpoint."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in AWS.items():
            patch.setenv(name, value)
        clients.bedrock.cache_clear()
        created = {provider: _make_model(running_endpoint.model_name(provider), loop) for provider in PROVIDERS}
        yield created
        for model in created.values():
            model.close()
        clients.bedrock.cache_clear()


@pytest.fixture
def get_model(endpoint: FakeEndpoint, models: dict[str, StreamingModel]) -> ModelFactory:
    """Return the model of a provider, with a silence timeout in seconds."""
    del endpoint

    def get(provider: str, silence: float = 10.0) -> StreamingModel:
        return replace(models[provider], timeouts=Timeouts(silence, 30.0))

    return get


def _make_model(model_name: str, loop: EventLoop) -> StreamingModel:
    name = ModelName.parse(model_name)
    options = ModelOptions(name.model_id, environment_variables(KEYS), name.address, 15.0)
    return StreamingModel(load_provider(name.provider).connect(options), {}, loop, SystemClock(), Timeouts())


def with_retries(model: StreamingModel, clock: FakeClock) -> RetryingModel:
    """Return the model with retries, whose delays only advance the fake clock."""
    return RetryingModel(model, clock, clock.advance, 270)
