"""Alarms and the dashboard."""

import json
import re

import pytest

from satchel.domain.metrics import METRICS, NAMESPACE
from tests.infra.templates import Stacks

pytestmark = pytest.mark.synth


def test_alarms_cover_each_failure_that_needs_an_operator(stacks: Stacks) -> None:
    alarms = stacks.properties("AWS::CloudWatch::Alarm")
    assert alarms.keys() == {
        f"Alarm{name}"
        for name in (
            "ApiFails",
            "EventsLate",
            "EventsLost",
            "FunctionsFail",
            "KeysStay",
            "NothingToRunOn",
            "SweepStands",
            "TableRefuses",
            "TurnsBreakOff",
        )
    }
    for alarm in alarms.values():
        assert len(alarm["AlarmDescription"].split()) > 8, "the description says what to do"


def test_only_the_sweep_alarm_notices_missing_data_once_it_had_data(stacks: Stacks, custom_settings: Stacks) -> None:
    """A new alarm is in the state INSUFFICIENT_DATA, and CloudWatch notifies on changes of the state only."""
    missing_data = {
        name: each["TreatMissingData"] for name, each in stacks.properties("AWS::CloudWatch::Alarm").items()
    }
    assert {name for name, treatment in missing_data.items() if treatment != "notBreaching"} == {"AlarmSweepStands"}
    assert missing_data["AlarmSweepStands"] == "missing"
    notified = {
        name: each.get("InsufficientDataActions")
        for name, each in custom_settings.properties("AWS::CloudWatch::Alarm").items()
    }
    assert {name: actions for name, actions in notified.items() if actions} == {"AlarmSweepStands": ["{AlarmTopic}"]}


def test_alarms_send_email_only_if_an_address_is_set(stacks: Stacks, custom_settings: Stacks) -> None:
    assert stacks.properties("AWS::SNS::Topic") == {}
    assert not any(alarm.get("AlarmActions") for alarm in stacks.properties("AWS::CloudWatch::Alarm").values())
    (subscription,) = custom_settings.properties("AWS::SNS::Subscription").values()
    assert (subscription["Protocol"], subscription["Endpoint"]) == ("email", "ops@example.com")
    for alarm in custom_settings.properties("AWS::CloudWatch::Alarm").values():
        assert alarm["AlarmActions"] == ["{AlarmTopic}"]


def test_dashboard_searches_for_existing_metrics_and_dimensions(stacks: Stacks) -> None:
    (board,) = stacks.properties("AWS::CloudWatch::Dashboard").values()
    searches = re.findall(r"SEARCH\('\{(\w+),([\w,]+)\} MetricName=\\*\"(\w+)\\*\"", board["DashboardBody"])
    assert len(searches) == 4
    metrics = {metric.name: metric.dimensions for metric in METRICS}
    assert {(namespace, name, tuple(by.split(","))) for namespace, by, name in searches} <= {
        (NAMESPACE, name, by) for name, by in metrics.items()
    }
    widgets = json.loads(board["DashboardBody"])["widgets"]
    graphs = [each for widget in widgets for each in widget["properties"].get("metrics", [])]
    totals = {each[1] for each in graphs if each[0] == NAMESPACE}
    assert totals == {"TurnDuration", "ToolBytesOut"}
    assert {metrics[name] for name in totals} == {()}


def test_dashboard_is_valid_json_and_lists_all_alarms(stacks: Stacks) -> None:
    (board,) = stacks.properties("AWS::CloudWatch::Dashboard").values()
    widgets = json.loads(board["DashboardBody"])["widgets"]
    assert widgets[0]["type"] == "alarm"
    assert len(widgets[0]["properties"]["alarms"]) == 9
