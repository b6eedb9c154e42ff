"""The Step Functions state machine that runs a turn. The local emulator executes the same definition file."""

from aws_cdk import ArnFormat, Stack
from aws_cdk import aws_events as events
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from infra import sources
from infra.constructs.checks import acknowledge, acknowledge_wildcards
from infra.constructs.function import PythonFunction
from infra.constructs.grants import INVOKE_FUNCTION, allow, statement
from infra.constructs.monitoring import log_group
from infra.constructs.triggers import DeadLetters
from infra.limits import (
    APPROVAL_SECONDS,
    CALL_TIMEOUT_SECONDS,
    HEARTBEAT_TIMEOUT_SECONDS,
    INPUT_GRACE_SECONDS,
    TURN_TIMEOUT_SECONDS,
)
from infra.settings import Settings

_MAX_START_WAIT_SECONDS = 60  # Lambda's minimum


def turn_machine_arn(stack: Stack, name: str) -> str:
    """Build the state machine's ARN from its name. Functions that the machine references cannot reference it."""
    return stack.format_arn(
        service="states", resource="stateMachine", resource_name=name, arn_format=ArnFormat.COLON_RESOURCE_NAME
    )


class TurnWorkflow(Construct):
    """The state machine of turns, and a rule that invokes Finish if an execution ends before its state Finish."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        name: str,
        think: PythonFunction,
        dispatch: PythonFunction,
        finish: PythonFunction,
        dead_letters: DeadLetters,
        settings: Settings,
    ) -> None:
        super().__init__(scope, id_)
        functions = {
            "Think": think.invoke_target,
            "Dispatch": dispatch.invoke_target,
            "Finish": finish.invoke_target,
        }
        definition = sources.load_turn_workflow(
            {state: function.function_arn for state, function in functions.items()}
            | {
                "Partition": Stack.of(self).partition,
                "HeartbeatSeconds": HEARTBEAT_TIMEOUT_SECONDS,
                "ApprovalSeconds": APPROVAL_SECONDS,
                "InputSeconds": settings.input_seconds + INPUT_GRACE_SECONDS,
                "CallTimeoutSeconds": CALL_TIMEOUT_SECONDS,
                "TurnTimeoutSeconds": TURN_TIMEOUT_SECONDS,
            },
        )
        # With this name prefix, log groups share one entry in the account's resource policy, whose size is limited.
        logs = log_group(self, "Log", days=settings.log_retention, name=f"/aws/vendedlogs/states/{name}")
        self.machine = sfn.StateMachine(
            self,
            "Machine",
            state_machine_name=name,
            definition_body=sfn.DefinitionBody.from_string(definition),
            logs=sfn.LogOptions(destination=logs, level=sfn.LogLevel.ERROR, include_execution_data=False),
            tracing_enabled=False,
        )
        self._acknowledge()
        arns = [function.function_arn for function in functions.values()]
        self.machine.add_to_role_policy(statement(*INVOKE_FUNCTION, on=arns))
        dead_letters.retry_then_keep(finish)
        self._repeat_lost_first_rounds(think, finish)
        self._finish_ended_executions(finish, dead_letters)

    def _acknowledge(self) -> None:
        untraced = "the logs carry the turn's id, and the table has all of its events"
        acknowledge(
            self.machine,
            AwsSolutions_SF1="Step Functions keeps each execution's history for 90 days, so logging errors is enough",
            AwsSolutions_SF2=untraced,
            Serverless_StepFunctionStateMachineXray=untraced,
        )
        no_resources = "log deliveries have no resource-level permissions (Step Functions guide, `cw-logs.html`)"
        acknowledge_wildcards(self.machine, ["*"], no_resources)

    def _repeat_lost_first_rounds(self, think: PythonFunction, finish: PythonFunction) -> None:
        """Let Finish start an execution if the function of a first round dies, or gets no environment in time.

        Lambda must not retry by itself, because it waits for a minute before that.
        """
        invoked = think.invoke_target
        lambda_.CfnEventInvokeConfig(
            self,
            "FirstRound",
            function_name=think.function_name,
            qualifier=invoked.alias_name if isinstance(invoked, lambda_.Alias) else "$LATEST",
            maximum_retry_attempts=0,
            maximum_event_age_in_seconds=_MAX_START_WAIT_SECONDS,
            destination_config={"onFailure": {"destination": finish.invoke_target.function_arn}},
        )
        allow(think, *INVOKE_FUNCTION, on=[finish.invoke_target.function_arn])

    def _finish_ended_executions(self, finish: PythonFunction, dead_letters: DeadLetters) -> None:
        """Invoke Finish for executions that were stopped, timed out or failed. Without this, their turns never end."""
        events.Rule(
            self,
            "EndedPastFinish",
            event_pattern=events.EventPattern(
                source=["aws.states"],
                detail_type=["Step Functions Execution Status Change"],
                detail={
                    "status": ["ABORTED", "TIMED_OUT", "FAILED"],
                    "stateMachineArn": [self.machine.state_machine_arn],
                },
            ),
            targets=[dead_letters.rule_target(finish)],
        )
