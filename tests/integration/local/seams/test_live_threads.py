from moto.stepfunctions.parser.backend import execution_worker

from tests.integration.local.workshop import Workshop


def test_the_list_of_threads_does_not_grow(workshop: Workshop) -> None:
    for _ in range(5):
        workshop.run({"Over": {"Type": "Succeed"}})
    assert len(vars(execution_worker)["TMP_THREADS"]) == 0
