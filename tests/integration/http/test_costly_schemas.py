"""The check of tools' input schemas leaves processor time for other requests of the same process."""

import threading
import time
from collections.abc import Iterator

import httpx2
import pytest
import uvicorn

from local.emulator.http_gateway import server_config
from local.emulator.serve import listen
from satchel.adapters.json_schema import JsonSchemaChecker
from tests.health_times import health_limit, health_times
from tests.integration.http.backend import Backend
from tests.priority import prioritized
from tests.random_schemas import random_checks

SEED = 2
CONTROL_SECONDS = 3.0


@pytest.fixture
def client(backend: Backend) -> Iterator[httpx2.Client]:
    """A client of the API on a server in this process."""
    listener = listen(0)
    server = uvicorn.Server(server_config(backend.local_app))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    with httpx2.Client(base_url=f"http://127.0.0.1:{listener.getsockname()[1]}") as client:
        yield client
    server.should_exit = True
    thread.join()


def compute() -> None:
    """Use the processor with short operations, so that the health requests wait for a thread that computes."""
    end = time.thread_time() + CONTROL_SECONDS
    while time.thread_time() < end:
        sum(range(100))


def test_health_answers_while_2000_random_schemas_are_checked(client: httpx2.Client) -> None:
    checked: list[int] = []

    def check() -> None:
        checker = JsonSchemaChecker()
        for schema, arguments in random_checks(SEED, 2000):
            checker.find_problems(schema, arguments)
            checked.append(1)

    with prioritized():
        limit = health_limit(health_times(client, compute))
        times = health_times(client, check)

    assert max(times) <= limit, f"health took {max(times):.2f} s, at most {limit:.2f} s are allowed"
    assert len(checked) == 2000
