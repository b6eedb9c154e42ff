from collections.abc import Iterator

import pytest

from satchel.adapters import clients
from satchel.adapters.dynamodb.sessions import DynamoSessions
from satchel.adapters.dynamodb.table import Table
from satchel.adapters.s3_files import S3Files
from satchel.domain.sessions import Session
from tests.integration.aws.cloud import make_bucket, make_table, moto_cloud
from tests.integration.aws.makers import TravelClock, a_session, someone


@pytest.fixture(scope="module", autouse=True)
def cloud() -> Iterator[None]:
    with moto_cloud():
        yield


@pytest.fixture(scope="module")
def table(cloud: None) -> Table:
    del cloud
    return Table(clients.dynamodb.__wrapped__(), make_table())


@pytest.fixture(scope="module")
def store(cloud: None) -> S3Files:
    del cloud
    return S3Files(clients.s3.__wrapped__(), make_bucket())


@pytest.fixture
def clock() -> TravelClock:
    return TravelClock()


@pytest.fixture
def user() -> str:
    return someone()


@pytest.fixture
def session(table: Table, user: str) -> Session:
    """A session that is written down."""
    session = a_session(user)
    DynamoSessions(table).create(session)
    return session
