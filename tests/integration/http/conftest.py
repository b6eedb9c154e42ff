from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from satchel.domain.ids import UserName
from tests.integration.aws.cloud import moto_cloud
from tests.integration.aws.factories import new_user
from tests.integration.http.api_client import ApiClient
from tests.integration.http.backend import Backend, make_client


@pytest.fixture(scope="module")
def cloud() -> Iterator[None]:
    with moto_cloud(direct=True):
        yield


@pytest.fixture(scope="module")
def module_backend(cloud: None) -> Backend:
    del cloud
    return Backend()


@pytest.fixture
def backend(module_backend: Backend) -> Iterator[Backend]:
    yield module_backend
    module_backend.workflow.on_start = None
    module_backend.closing = False


@pytest.fixture
def user() -> UserName:
    return new_user()


@pytest.fixture
def http(backend: Backend, user: UserName) -> TestClient:
    """A client that is signed in as ``user``."""
    return backend.client_for(user)


@pytest.fixture
def api(http: TestClient) -> ApiClient:
    return ApiClient(http)


@pytest.fixture
def other_user(backend: Backend) -> TestClient:
    """A client that is signed in as another user."""
    return backend.client_for(new_user())


@pytest.fixture
def anonymous(backend: Backend) -> TestClient:
    """A client that is not signed in."""
    return make_client(backend.local_app)
