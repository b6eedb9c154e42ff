"""A local cloud for each test module, and a workshop in it.

``SATCHEL_TEST_WITHOUT_SEAM=stopping pytest tests/integration/local/seams/test_stopping.py`` runs a seam's contract
without the seam, for any of them: it must fail. That is how a new moto is found to need a seam no longer.
"""

import os
from collections.abc import Iterator

import pytest

from local.aws.cloud import LocalCloud
from tests.integration.local.workshop import Workshop


@pytest.fixture(scope="module")
def cloud() -> Iterator[LocalCloud]:
    with LocalCloud(without=os.environ.get("SATCHEL_TEST_WITHOUT_SEAM", "").split(",")) as cloud:
        yield cloud


@pytest.fixture(scope="module")
def workshop(cloud: LocalCloud) -> Workshop:
    assert cloud.endpoint_url
    return Workshop()
