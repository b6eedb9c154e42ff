"""What a person is told of, and what he can look at."""

import json
import re

import pytest

from satchel.domain.metrics import METRICS, NAMESPACE
from tests.infra.templates import Stacks

pytestmark = pytest.mark.synth


def test_there_is_an_alarm_for_each_thing_that_a_person_must_act_on(stacks: Stacks) -> None:
    alarms = stacks.of_type("AWS::CloudWatch::Alarm")
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
        assert len(alarm["AlarmDescription"].split()) > 8, "it says what to do"


def test_silence_is_well_but_for_the_sweep_which_runs_whether_anybody_comes_or_not(stacks: Stacks) -> None:
    quiet = {name: each["TreatMissingData"] for name, each in stacks.of_type("AWS::CloudWatch::Alarm").items()}
    assert {name for name, how in quiet.items() if how == "breaching"} == {"AlarmSweepStands"}
    assert set(quiet.values()) == {"breaching", "notBreaching"}


def test_who_is_set_is_told_by_mail_and_without_anybody_there_is_no_topic(stacks: Stacks, choices: Stacks) -> None:
    assert stacks.of_type("AWS::SNS::Topic") == {}
    assert not any(alarm.get("AlarmActions") for alarm in stacks.of_type("AWS::CloudWatch::Alarm").values())
    (told,) = choices.of_type("AWS::SNS::Subscription").values()
    assert (told["Protocol"], told["Endpoint"]) == ("email", "ops@example.com")
    for alarm in choices.of_type("AWS::CloudWatch::Alarm").values():
        assert alarm["AlarmActions"] == ["{AlarmTopic}"]


def test_the_dashboard_looks_for_figures_that_are_written(stacks: Stacks) -> None:
    (board,) = stacks.of_type("AWS::CloudWatch::Dashboard").values()
    searched = re.findall(r"SEARCH\('\{(\w+),([\w,]+)\} MetricName=\\*\"(\w+)\\*\"", board["DashboardBody"])
    assert len(searched) >= 9
    written = {metric.name: metric.dimensions for metric in METRICS}
    assert {(namespace, name, tuple(by.split(","))) for namespace, by, name in searched} <= {
        (NAMESPACE, name, by) for name, by in written.items()
    }


def test_the_dashboard_is_one_that_cloudwatch_can_read(stacks: Stacks) -> None:
    (board,) = stacks.of_type("AWS::CloudWatch::Dashboard").values()
    widgets = json.loads(board["DashboardBody"])["widgets"]
    assert widgets[0]["type"] == "alarm"
    assert len(widgets[0]["properties"]["alarms"]) == 9
