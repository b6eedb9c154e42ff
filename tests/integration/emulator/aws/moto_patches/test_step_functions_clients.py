from moto.stepfunctions.parser.asl.component.state.exec.state_task import lambda_eval_utils

from tests.integration.emulator.cloud_driver import CloudDriver, task


def test_tasks_of_all_executions_share_a_client(driver: CloudDriver) -> None:
    name = driver.function(lambda _event, _context: "done")
    assert driver.run({"Do": task(name)})[0] == "SUCCEEDED"
    client_for = vars(lambda_eval_utils)["boto_client_for"]
    one, other = (client_for(region="us-east-1", service="lambda") for _ in range(2))
    assert one is other
