"""The state machine of a turn, from the very file that the local run executes."""

from aws_cdk import ArnFormat, Stack
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from infra import sources
from infra.constructs.grants import INVOKE, statement
from infra.limits import APPROVAL_SECONDS, CALL_TIMEOUT_SECONDS, HEARTBEAT_SECONDS, TURN_TIMEOUT_SECONDS


def turn_machine_arn(stack: Stack, name: str) -> str:
    """Return the machine's address from its name: its own functions must know it before it can be made."""
    return stack.format_arn(
        service="states", resource="stateMachine", resource_name=name, arn_format=ArnFormat.COLON_RESOURCE_NAME
    )


class TurnWorkflow(Construct):
    """Think, Approval, Dispatch and Normalize until the turn is done, then Finish: in the machine or by a rule."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        name: str,
        think: lambda_.IFunction,
        approval: lambda_.IFunction,
        dispatch: lambda_.IFunction,
        normalize: lambda_.IFunction,
        finish: lambda_.IFunction,
    ) -> None:
        super().__init__(scope, id_)
        functions = {
            "Think": think,
            "Approval": approval,
            "Dispatch": dispatch,
            "Normalize": normalize,
            "Finish": finish,
        }
        definition = sources.filled(
            sources.TURN_WORKFLOW.read_text(encoding="utf-8"),
            {state: function.function_arn for state, function in functions.items()}
            | {
                "HeartbeatSeconds": HEARTBEAT_SECONDS,
                "ApprovalSeconds": APPROVAL_SECONDS,
                "CallTimeoutSeconds": CALL_TIMEOUT_SECONDS,
                "TurnTimeoutSeconds": TURN_TIMEOUT_SECONDS,
            },
        )
        self.machine = sfn.StateMachine(
            self, "Machine", state_machine_name=name, definition_body=sfn.DefinitionBody.from_string(definition)
        )
        arns = [function.function_arn for function in functions.values()]
        self.machine.add_to_role_policy(statement(*INVOKE, on=arns))
        self._finish_what_ended_without_it(finish)

    def _finish_what_ended_without_it(self, finish: lambda_.IFunction) -> None:
        """Send to Finish what was stopped, timed out or failed: no turn may stay open."""
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
            targets=[targets.LambdaFunction(finish)],
        )
