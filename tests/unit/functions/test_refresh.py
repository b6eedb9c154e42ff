"""Which servers are asked for their tools, and when: after a deployment all of them, otherwise those that are due."""

import pytest

from functions.refresh import handler as refresh
from tests.unit.services.scenery import REGISTRY
from tests.unit.services.world import World

SCHEDULED = {"source": "aws.events", "detail-type": "Scheduled Event", "detail": {}}
DEPLOYED = {
    "source": "aws.cloudformation",
    "detail-type": "CloudFormation Stack Status Change",
    "detail": {"status-details": {"status": "UPDATE_COMPLETE"}},
}


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    world = World()
    monkeypatch.setattr(refresh, "build", lambda: world.refresh_tools)
    monkeypatch.setattr("satchel.bootstrap.observed.set_up_logs", lambda _service: None)
    return world


def test_by_schedule_a_server_is_asked_when_it_is_time(world: World) -> None:
    assert refresh.handler(SCHEDULED, None) == {"asked": []}
    world.clock.travel(300)
    assert sorted(refresh.handler(SCHEDULED, None)["asked"]) == sorted(REGISTRY.servers)
    assert sorted(world.runners.asked) == sorted(REGISTRY.servers)


def test_a_deployment_may_have_brought_other_programs_so_all_are_asked(world: World) -> None:
    assert sorted(refresh.handler(DEPLOYED, None)["asked"]) == sorted(REGISTRY.servers)
    assert sorted(world.runners.asked) == sorted(REGISTRY.servers)


def test_a_server_that_does_not_start_keeps_no_other_from_being_asked(world: World) -> None:
    del world.runners.tools["report"]
    refresh.handler(DEPLOYED, None)
    assert sorted(world.runners.asked) == sorted(REGISTRY.servers)
