import pytest
from moto.stepfunctions.parser.asl.component.state.exec.state_map.iteration.itemprocessor.inline_item_processor import (
    InlineItemProcessor,
)
from moto.stepfunctions.parser.backend import execution_worker

from tests.integration.emulator.cloud_driver import CloudDriver, map_state


def test_list_of_threads_does_not_grow(driver: CloudDriver) -> None:
    for _ in range(5):
        driver.run({"Over": {"Type": "Succeed"}})
    assert len(vars(execution_worker)["TMP_THREADS"]) == 0


@pytest.mark.parametrize(("items", "threads"), [(0, 0), (1, 1), (3, 3), (12, 8)])
def test_map_has_at_most_one_thread_for_each_item(
    driver: CloudDriver, monkeypatch: pytest.MonkeyPatch, items: int, threads: int
) -> None:
    workers: list[object] = []
    create = vars(InlineItemProcessor)["_create_worker"]

    def record_worker(self: InlineItemProcessor, **named: object) -> object:
        workers.append(create(self, **named))
        return workers[-1]

    monkeypatch.setattr(InlineItemProcessor, "_create_worker", record_worker)
    values = list(range(items))
    state = {**map_state({"Pass": {"Type": "Pass", "End": True}}), "MaxConcurrency": 8}
    assert driver.run({"All": state}, {"items": values}) == ("SUCCEEDED", values)
    assert len(workers) == threads
