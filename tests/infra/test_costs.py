"""The cost figures match the templates, and docs/costs.md matches the figures."""

import pytest

from infra import costs, usage
from tests.infra.templates import Stacks

pytestmark = pytest.mark.synth


def test_costs_document_is_up_to_date() -> None:
    assert costs.DOCUMENT.read_text(encoding="utf-8") == costs.document(), "update it: make costs COSTS=--write"


def test_idle_costs_count_the_resources_of_the_templates(stacks: Stacks) -> None:
    kinds = ("SecretsManager::Secret", "KMS::Key", "CloudWatch::Dashboard")
    secrets, keys, dashboards = (len(stacks.resources(f"AWS::{kind}")) for kind in kinds)
    alarms = stacks.properties("AWS::CloudWatch::Alarm").values()
    metrics = sum(sum("MetricStat" in each for each in alarm.get("Metrics", [{"MetricStat": 1}])) for alarm in alarms)
    assert (secrets, keys, metrics, dashboards) == (
        usage.SECRETS,
        usage.KEYS,
        usage.ALARM_METRICS,
        usage.DASHBOARDS,
    )


def test_functions_have_no_more_memory_than_the_costs_assume(stacks: Stacks) -> None:
    actual = {name: function["MemorySize"] for name, function in stacks.functions().items()}
    assumed = {
        name: usage.MEMORY_MB.get("Run" if name.startswith("Run") else name, usage.DEFAULT_MEMORY_MB) for name in actual
    }
    assert {name: memory for name, memory in actual.items() if memory > assumed[name]} == {}


def test_thousand_turns_with_two_tools_cost_less_than_a_dollar() -> None:
    assert sum(costs.cost_of_turns({"tools": 1.0}).values()) < 1


def test_every_price_has_a_unit_and_a_dated_source_or_is_marked_as_from_memory() -> None:
    prices = costs.read_prices()["prices"].values()
    assert [price for price in prices if not price["per"] or bool(price["source"]) != bool(price["of"])] == []
    assert sum(not price["source"] for price in prices) == costs.document().count("from memory")
