"""The state machine of a turn, from the very file that the local run executes."""

from aws_cdk import ArnFormat, Stack
from aws_cdk import aws_events as events
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from infra import sources
from infra.constructs.checks import acknowledge, acknowledge_wildcards
from infra.constructs.function import PythonFunction
from infra.constructs.grants import INVOKE, statement
from infra.constructs.log_group import log_group
from infra.constructs.lost_events import LostEvents
from infra.limits import APPROVAL_SECONDS, CALL_TIMEOUT_SECONDS, HEARTBEAT_SECONDS, TURN_TIMEOUT_SECONDS
from infra.settings import Settings


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
        think: PythonFunction,
        approval: PythonFunction,
        dispatch: PythonFunction,
        normalize: PythonFunction,
        finish: PythonFunction,
        lost: LostEvents,
        settings: Settings,
    ) -> None:
        super().__init__(scope, id_)
        functions = {
            "Think": think.entry,
            "Approval": approval.entry,
            "Dispatch": dispatch.entry,
            "Normalize": normalize.entry,
            "Finish": finish.entry,
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
        # Behind this prefix Step Functions writes by a rule that all machines of the account share.
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
        self.machine.add_to_role_policy(statement(*INVOKE, on=arns))
        lost.catch(finish)
        self._finish_what_ended_without_it(finish, lost)

    def _acknowledge(self) -> None:
        traced = "the logs carry the turn's id, and each event of it is in the table"
        acknowledge(
            self.machine,
            AwsSolutions_SF1="the history of every execution is kept by Step Functions for 90 days: errors are enough",
            AwsSolutions_SF2=traced,
            Serverless_StepFunctionStateMachineXray=traced,
        )
        everything = "log deliveries have no resources that a policy could name (Step Functions, `cw-logs.html`)"
        acknowledge_wildcards(self.machine, ["*"], everything)

    def _finish_what_ended_without_it(self, finish: PythonFunction, lost: LostEvents) -> None:
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
            targets=[lost.target(finish)],
        )
