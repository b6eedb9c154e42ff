from moto.stepfunctions.parser.backend import execution_worker

from tests.integration.emulator.cloud_driver import CloudDriver


def test_list_of_threads_does_not_grow(driver: CloudDriver) -> None:
    for _ in range(5):
        driver.run({"Over": {"Type": "Succeed"}})
    assert len(vars(execution_worker)["TMP_THREADS"]) == 0
