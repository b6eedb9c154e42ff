from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from tests.integration.aws.cloud import moto_cloud
from tests.integration.aws.makers import someone
from tests.integration.http.desk import Desk
from tests.integration.http.world import World, client_of


@pytest.fixture(scope="module")
def cloud() -> Iterator[None]:
    with moto_cloud():
        yield


@pytest.fixture(scope="module")
def made(cloud: None) -> World:
    del cloud
    return World()


@pytest.fixture
def world(made: World) -> Iterator[World]:
    yield made
    made.workflow.on_start = None
    made.closing = False


@pytest.fixture
def user() -> str:
    return someone()


@pytest.fixture
def http(world: World, user: str) -> TestClient:
    """The API as ``user`` sees it."""
    return world.person(user)


@pytest.fixture
def desk(http: TestClient) -> Desk:
    return Desk(http)


@pytest.fixture
def stranger(world: World) -> TestClient:
    """The API as somebody else sees it."""
    return world.person(someone())


@pytest.fixture
def anybody(world: World) -> TestClient:
    """The API to one who does not say who it is."""
    return client_of(world.local_app)
