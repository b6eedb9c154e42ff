from pathlib import Path

import pytest

from satchel.domain.calls import Call
from tests.unit.services.runner import Runner
from tests.unit.services.world import World


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def call(world: World) -> Call:
    """Return a call of Alice that has no result yet."""
    return world.call(world.turn(world.session()), "report.summarise")


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)
