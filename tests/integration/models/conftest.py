from collections.abc import Iterator
from dataclasses import replace
from typing import Protocol

import pytest

from satchel.adapters import clients
from satchel.adapters.event_loop import EventLoop
from satchel.adapters.llm.connection import Wanted
from satchel.adapters.llm.model_router import Name, provider_of
from satchel.adapters.llm.retrying_model import RetryingModel
from satchel.adapters.llm.streaming_model import Patience, StreamingModel
from satchel.adapters.server_config import of_environment
from satchel.adapters.system_clock import SystemClock
from tests.endpoints.server import PROVIDERS, Endpoint
from tests.fakes.clock import FakeClock

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
def serving() -> Iterator[Endpoint]:
    with Endpoint().running() as endpoint:
        yield endpoint


@pytest.fixture
def endpoint(serving: Endpoint) -> Endpoint:
    serving.will, serving.asked, serving.spoke = [], [], []
    serving.left.clear()
    return serving


@pytest.fixture(scope="module")
def made(serving: Endpoint, loop: EventLoop) -> Iterator[dict[str, StreamingModel]]:
    """Return the model of each provider, served by the endpoint."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in AWS.items():
            patch.setenv(name, value)
        clients.bedrock.cache_clear()
        models = {provider: _model(serving.name(provider), loop) for provider in PROVIDERS}
        yield models
        for model in models.values():
            model.close()
        clients.bedrock.cache_clear()


@pytest.fixture
def ready(endpoint: Endpoint, made: dict[str, StreamingModel]) -> Ready:
    """Have a provider's model, which may be silent for so many seconds."""
    del endpoint

    def find(provider: str, silence: float = 10.0) -> StreamingModel:
        return replace(made[provider], patience=Patience(silence, 30.0))

    return find


def _model(named: str, loop: EventLoop) -> StreamingModel:
    name = Name.parse(named)
    wanted = Wanted(name.model_id, of_environment(KEYS), name.address, 15.0)
    return StreamingModel(provider_of(name.provider).connect(wanted), {}, loop, SystemClock(), Patience())


def patient(model: StreamingModel, clock: FakeClock) -> RetryingModel:
    """Let it be asked again without waiting."""
    return RetryingModel(model, clock, clock.travel, 270)
