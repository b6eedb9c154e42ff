"""A local cloud and a driver for it, for each test module.

``SATCHEL_TEST_WITHOUT_PATCH=s3_multipart pytest tests/integration/emulator/aws/moto_patches/test_s3_multipart.py`` runs
the tests of a moto patch without that patch. They must fail; if they pass, the installed moto does not need the patch.
"""

import os
from collections.abc import Iterator

import pytest

from local.emulator.aws.cloud import LocalCloud
from tests.integration.emulator.cloud_driver import CloudDriver


@pytest.fixture(scope="module")
def cloud() -> Iterator[LocalCloud]:
    with LocalCloud(without=os.environ.get("SATCHEL_TEST_WITHOUT_PATCH", "").split(",")) as cloud:
        yield cloud


@pytest.fixture(scope="module")
def driver(cloud: LocalCloud) -> CloudDriver:
    assert cloud.endpoint_url
    return CloudDriver()
