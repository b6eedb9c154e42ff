"""What a person must act on, and where he is told."""

from collections.abc import Sequence

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from aws_cdk import aws_sqs as sqs
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from infra.constructs.checks import acknowledge

_FEW_MINUTES = Duration.minutes(5)
_HOUR = Duration.hours(1)
_LATE_MILLIS = 60_000
_ABOVE = cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD
_BELOW = cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD
_QUIET_IS_WELL = cloudwatch.TreatMissingData.NOT_BREACHING
_QUIET_IS_NOT = cloudwatch.TreatMissingData.BREACHING


class Alarms(Construct):
    """Alarms, each with a description that says what to do; they write to ``email`` where there is one.

    None is about one server: what goes wrong in a tool is for its author, and stands on the dashboard.
    """

    def __init__(self, scope: Construct, id_: str, *, email: str | None) -> None:
        super().__init__(scope, id_)
        self.made: list[cloudwatch.Alarm] = []
        self._topic = self._tell(email) if email else None

    def watch_api(self, api_id: str) -> None:
        """Look at answers that are nobody's fault but ours."""
        metric = cloudwatch.Metric(
            namespace="AWS/ApiGateway",
            metric_name="5xx",
            dimensions_map={"ApiId": api_id},
            statistic="Sum",
            period=_FEW_MINUTES,
        )
        self._alarm("ApiFails", metric, 5, "The API fails: look at its function's log for lines of the level ERROR.")

    def watch_functions(self, functions: Sequence[lambda_.Function]) -> None:
        """Look at the functions that a turn passes, taken together."""
        errors = {f"e{number}": each.metric_errors(period=_FEW_MINUTES) for number, each in enumerate(functions)}
        metric = cloudwatch.MathExpression(expression="SUM(METRICS())", using_metrics=errors, period=_FEW_MINUTES)
        text = "Functions of turns fail more often than what is tried again makes good: look at their logs."
        self._alarm("FunctionsFail", metric, 10, text)

    def watch_turns(self, machine: sfn.StateMachine) -> None:
        """Look at executions that reached no end of their own."""
        failed = cloudwatch.MathExpression(
            expression="failed + timedout",
            using_metrics={
                "failed": machine.metric_failed(period=_FEW_MINUTES),
                "timedout": machine.metric_timed_out(period=_FEW_MINUTES),
            },
            period=_FEW_MINUTES,
        )
        self._alarm("TurnsBreakOff", failed, 1, "Turns break off: the execution's history says where and why.")

    def watch_lost(self, queue: sqs.Queue) -> None:
        """Look at what nobody could deal with."""
        metric = queue.metric_approximate_number_of_messages_visible(period=_FEW_MINUTES, statistic="Maximum")
        text = "Events lie in the queue of what was lost: each says who failed with what. Mend that, send them again."
        self._alarm("EventsLost", metric, 1, text)

    def watch_sweep(self, function: lambda_.Function) -> None:
        """Look at whether what has expired is still deleted."""
        text = "For an hour no sweep went well: what has expired is not deleted. Look at its rule and log."
        worked = cloudwatch.MathExpression(
            expression="runs - FILL(errors, 0)",
            using_metrics={
                "runs": function.metric_invocations(period=_HOUR, statistic="Sum"),
                "errors": function.metric_errors(period=_HOUR),
            },
            period=_HOUR,
        )
        self._alarm("SweepStands", worked, 1, text, when=_BELOW, quiet=_QUIET_IS_NOT)

    def watch_rotation(self, function: lambda_.Function) -> None:
        """Look at the keys of links."""
        text = "New keys for links cannot be made: the old ones go on. Look at the function's log, then rotate by hand."
        self._alarm("KeysStay", function.metric_errors(period=_HOUR), 1, text)

    def watch_stream(self, push: lambda_.Function) -> None:
        """Look at how far behind events are pushed."""
        metric = push.metric("IteratorAge", period=_FEW_MINUTES, statistic="Maximum")
        text = "Events are pushed a minute late: people see turns stand still. Look at the push function's log."
        self._alarm("EventsLate", metric, _LATE_MILLIS, text)

    def watch_table(self, table: dynamodb.Table) -> None:
        """Look at requests that the table refuses."""
        metrics = {
            "reads": table.metric("ReadThrottleEvents", period=_FEW_MINUTES, statistic="Sum"),
            "writes": table.metric("WriteThrottleEvents", period=_FEW_MINUTES, statistic="Sum"),
        }
        refused = cloudwatch.MathExpression(
            expression="FILL(reads, 0) + FILL(writes, 0)", using_metrics=metrics, period=_FEW_MINUTES
        )
        text = "The table refuses requests: look which key is hot (Contributor Insights), or raise the table's quota."
        self._alarm("TableRefuses", refused, 1, text)

    def watch_concurrency(self) -> None:
        """Look at functions that Lambda refuses to start, in the whole region: its quota is the account's."""
        metric = lambda_.Function.metric_all_throttles(period=_FEW_MINUTES, statistic="Sum")
        text = "Lambda refuses to start functions: raise the account's quota of concurrent executions."
        self._alarm("NothingToRunOn", metric, 10, text)

    def _tell(self, email: str) -> sns.Topic:
        topic = sns.Topic(self, "Topic", enforce_ssl=True)
        topic.add_subscription(subscriptions.EmailSubscription(email))
        acknowledge(topic, Serverless_SNSRedrivePolicy="what an address does not take is shown by the alarm itself")
        return topic

    def _alarm(
        self,
        name: str,
        metric: cloudwatch.IMetric,
        threshold: float,
        text: str,
        *,
        when: cloudwatch.ComparisonOperator = _ABOVE,
        quiet: cloudwatch.TreatMissingData = _QUIET_IS_WELL,
    ) -> None:
        alarm = cloudwatch.Alarm(
            self,
            name,
            metric=metric,
            threshold=threshold,
            evaluation_periods=1,
            comparison_operator=when,
            treat_missing_data=quiet,
            alarm_description=text,
        )
        if self._topic:
            alarm.add_alarm_action(actions.SnsAction(self._topic))
        self.made.append(alarm)
