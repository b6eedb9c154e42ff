"""What it costs is reckoned with what the templates have, and the page tells what is reckoned."""

import pytest

from infra import costs, usage
from tests.infra.templates import Stacks

pytestmark = pytest.mark.synth


def test_the_page_of_costs_is_what_is_reckoned() -> None:
    assert costs.DOCUMENT.read_text(encoding="utf-8") == costs.document(), "write it anew: make costs COSTS=--write"


def test_idle_costs_are_those_of_the_templates(stacks: Stacks) -> None:
    secrets, boards = (stacks.resources(f"AWS::{kind}") for kind in ("SecretsManager::Secret", "CloudWatch::Dashboard"))
    alarms = stacks.of_type("AWS::CloudWatch::Alarm").values()
    looked_at = sum(sum("MetricStat" in each for each in alarm.get("Metrics", [{"MetricStat": 1}])) for alarm in alarms)
    assert (len(secrets), looked_at, len(boards)) == (usage.SECRETS, usage.ALARM_METRICS, usage.DASHBOARDS)


def test_functions_have_the_memory_that_is_paid_for(stacks: Stacks) -> None:
    had = {name: function["MemorySize"] for name, function in stacks.functions().items()}
    paid = {
        name: usage.MEMORY_MB.get("Run" if name.startswith("Run") else name, usage.DEFAULT_MEMORY_MB) for name in had
    }
    assert {name: memory for name, memory in had.items() if memory > paid[name]} == {}


def test_a_thousand_turns_with_two_tools_stay_below_a_dollar() -> None:
    assert sum(costs.of_turns({"tools": 1.0}).values()) < 1


def test_every_price_says_what_it_is_for_and_where_it_comes_from_or_that_it_was_not_found() -> None:
    prices = costs.price_list()["prices"].values()
    assert [price for price in prices if not price["per"] or bool(price["source"]) != bool(price["of"])] == []
    assert sum(not price["source"] for price in prices) == costs.document().count("from memory")
