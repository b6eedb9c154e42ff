from local.emulator.runners.context import LambdaContext


def test_remaining_time_is_zero_after_the_deadline() -> None:
    context = LambdaContext(function_name="f", invoked_function_arn="arn", deadline=0.0)
    assert context.get_remaining_time_in_millis() == 0
