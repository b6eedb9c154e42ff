from collections.abc import Iterator

import pytest

from satchel.adapters import clients
from satchel.adapters.dynamodb.sessions import DynamoSessions
from satchel.adapters.dynamodb.table import Table
from satchel.adapters.s3_files import S3Files
from satchel.domain.ids import UserName
from satchel.domain.sessions import Session
from tests.fakes.system import FakeClock
from tests.integration.aws.cloud import make_bucket, make_table, moto_cloud
from tests.integration.aws.factories import START, make_session, new_user


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
def clock() -> FakeClock:
    return FakeClock(START)


@pytest.fixture
def user() -> UserName:
    return new_user()


@pytest.fixture
def session(table: Table, user: UserName) -> Session:
    """A session that is stored in the table."""
    session = make_session(user)
    DynamoSessions(table).create(session)
    return session
