"""The cost figures match the templates, and docs/costs.md matches the figures."""

import pytest

from infra import costs, memory, run_time, usage
from infra.limits import FULL_CORE_MB, MEMORY_MB
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
    folders = stacks.folders()
    actual = {folders[name]: function["MemorySize"] for name, function in stacks.functions().items()}
    assert actual == {folder: MEMORY_MB[folder] for folder in actual}


def test_memory_table_and_its_reasons_are_up_to_date() -> None:
    text = memory.DOCUMENT.read_text(encoding="utf-8")
    assert text == memory.with_table(text), "update it: .venv/bin/python -m infra.memory"


def test_every_function_has_measured_processor_time() -> None:
    """A new function is measured by ``python -m tests.infra.deployment.processor_time``."""
    _, times = run_time.read_measured()
    not_in_the_run = {"page", "bridge"}  # only in deployments without CloudFront, and with the bridge
    assert set(times) | not_in_the_run == set(MEMORY_MB)
    assert all(time["request"] > 0 and time["start"] > 0 for time in times.values())


def test_full_core_costs_little_only_where_a_function_waits_little() -> None:
    """The rule of docs/deploy.md, in US dollars for 1,000 requests."""
    assert MEMORY_MB["finish"] == FULL_CORE_MB
    assert memory.cost("finish", FULL_CORE_MB) - memory.cost("finish", 512) < 0.005
    for folder, size in {"dispatch": 1280, "run_tool": 1024}.items():  # both wait for tools
        assert MEMORY_MB[folder] == size
        assert memory.cost(folder, FULL_CORE_MB) - memory.cost(folder, size) > 0.01


def test_functions_that_wait_or_work_for_milliseconds_have_little_memory() -> None:
    """The rule of docs/deploy.md, in US dollars for 1,000 requests, and in seconds."""
    assert MEMORY_MB["think"] == 768
    assert memory.cost("think", 1024) - memory.cost("think", 768) > 0.01
    _, times = run_time.read_measured()
    for folder in ("push", "sockets"):
        assert MEMORY_MB[folder] == 512
        assert run_time.elapsed(times[folder]["request"], 512) < 0.025


def test_thousand_turns_with_two_tools_cost_less_than_a_dollar() -> None:
    assert sum(costs.cost_of_turns({"tools": 1.0}).values()) < 1


@pytest.mark.parametrize(("kind", "usd"), [("talk", 0.13), ("tools", 0.23)])
def test_bridge_adds_at_most_so_much_to_1000_turns(kind: str, usd: float) -> None:
    assert 1000 * sum(costs.cost_of_bridge(kind).values()) < usd


@pytest.mark.parametrize(("mix", "usd"), [("talk only", 0.07), ("half of the turns call tools", 0.28)])
def test_1000_turns_cost_at_most_so_much(mix: str, usd: float) -> None:
    assert sum(costs.cost_of_turns(usage.MIXES[mix]).values()) < usd


def test_every_price_has_a_unit_and_a_dated_source_or_is_marked_as_from_memory() -> None:
    prices = costs.read_prices()["prices"].values()
    assert [price for price in prices if not price["per"] or bool(price["source"]) != bool(price["of"])] == []
    assert sum(not price["source"] for price in prices) == costs.document().count("from memory")
