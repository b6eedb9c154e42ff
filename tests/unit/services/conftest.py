import pytest

from tests.unit.services.world import World


@pytest.fixture
def world() -> World:
    return World()
