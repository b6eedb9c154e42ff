"""The refresh function lists tools: of all servers after a deployment, else of due ones. It passes on requests."""

import pytest

from functions.refresh import handler as refresh
from satchel.domain.resources import OfferAnswer, OfferRequest
from tests.unit.services.samples import REGISTRY
from tests.unit.services.world import World

SCHEDULE_EVENT = {"source": "aws.events", "detail-type": "Scheduled Event", "detail": {}}
DEPLOYMENT_EVENT = {
    "source": "aws.cloudformation",
    "detail-type": "CloudFormation Stack Status Change",
    "detail": {"status-details": {"status": "UPDATE_COMPLETE"}},
}


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    world = World()
    monkeypatch.setattr(refresh, "use_cases", lambda: world.use_cases)
    return world


def test_schedule_lists_tools_of_due_servers_only(world: World) -> None:
    assert refresh.handler(SCHEDULE_EVENT, None) == {"asked": []}
    world.clock.advance(300)
    assert sorted(refresh.handler(SCHEDULE_EVENT, None)["asked"]) == sorted(REGISTRY.servers)
    assert sorted(world.runners.listed_servers) == sorted(REGISTRY.servers)


def test_deployment_lists_tools_of_all_servers(world: World) -> None:
    assert sorted(refresh.handler(DEPLOYMENT_EVENT, None)["asked"]) == sorted(REGISTRY.servers)
    assert sorted(world.runners.listed_servers) == sorted(REGISTRY.servers)


def test_failing_server_does_not_stop_the_refresh_of_others(world: World) -> None:
    del world.runners.tools["report"]
    refresh.handler(DEPLOYMENT_EVENT, None)
    assert sorted(world.runners.listed_servers) == sorted(REGISTRY.servers)


def test_request_for_a_prompt_is_sent_to_the_runner_of_the_user(world: World) -> None:
    world.runners.answer = OfferAnswer(text="Hello")
    request = OfferRequest(method="prompts/get", name="greet")
    event = {"action": "offer", "server": "report", "user": "ada", "request": request.model_dump()}

    assert refresh.handler(event, None)["text"] == "Hello"
    assert (world.runners.offer_requests, world.runners.listed_servers) == ([("report", "ada", request)], [])
