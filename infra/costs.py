"""`python -m infra.costs` prints what Satchel costs: idle, and for 1,000 turns. `--write` writes docs/costs.md.

The prices are those of ``prices.json``, each with its source and date; what is used stands in ``usage``. Models' tokens
come on top of it, by far the most of it.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from typing import TypedDict

from infra import usage
from infra.limits import RUNNER_DISK_MIB
from infra.sources import ROOT
from infra.usage import Usage

_FREE_DISK_MIB = 512
_MANY = 0.01  # dollars; what costs less is told by the million
DOCUMENT = ROOT / "docs" / "costs.md"


class Price(TypedDict):
    """US dollars for one unit, and who says so, as of when; without a source it is from memory."""

    usd: float
    per: str
    source: str
    of: str


class PriceList(TypedDict):
    """The file."""

    region: str
    looked_up: str
    note: str
    prices: dict[str, Price]


def price_list() -> PriceList:
    """Read the prices."""
    parsed: PriceList = json.loads((ROOT / "infra" / "prices.json").read_text(encoding="utf-8"))
    return parsed


def parts(used: Usage) -> dict[str, float]:
    """Return what is paid for, in dollars, by part."""
    prices = {name: price["usd"] for name, price in price_list()["prices"].items()}
    invocations = sum(used.invocations.values())
    runs = used.invocations.get("Run", 0)
    disk = runs * (RUNNER_DISK_MIB - _FREE_DISK_MIB) / 1024 * usage.BILLED_MS["Run"] / 1000
    environments = usage.NEW_ENVIRONMENTS * runs * _gb("Run") * prices["lambda_tenant_environment_gb"]
    return {
        "Lambda: requests": invocations * prices["lambda_request"],
        "Lambda: time": _gb_seconds(used) * prices["lambda_gb_second_arm64"],
        "Lambda: disks": disk * prices["lambda_disk_gb_second"],
        "Lambda: new environments of people": environments,
        "Step Functions": used.transitions * prices["state_transition"],
        "DynamoDB: writes": used.writes * prices["dynamodb_write"],
        "DynamoDB: reads": used.reads * prices["dynamodb_read"],
        "S3: requests": used.puts * prices["s3_put"] + used.gets * prices["s3_get"],
        "API Gateway: requests": used.invocations.get("Api", 0) * prices["http_request"],
        "API Gateway: WebSocket": used.messages * prices["socket_message"],
        "CloudWatch: logs": invocations * usage.LOG_KB / (1 << 20) * prices["log_gb"],
        "Transfer to the internet": used.gb_out * prices["gb_out"],
    }


def of_turns(mix: Mapping[str, float], turns: int = 1000) -> dict[str, float]:
    """Return what so many turns of a mix cost, by part."""
    shares = [(turns * share, parts(usage.TURNS[kind])) for kind, share in mix.items()]
    return {part: sum(number * costs[part] for number, costs in shares) for part in shares[0][1]}


def of_idle_month() -> dict[str, float]:
    """Return what a month costs in which nobody does anything and nothing is stored, by part."""
    prices = {name: price["usd"] for name, price in price_list()["prices"].items()}
    standing = {
        "Secrets Manager": usage.SECRETS * prices["secret_month"],
        "CloudWatch: alarms": usage.ALARM_METRICS * prices["alarm_month"],
        "CloudWatch: dashboards": usage.DASHBOARDS * prices["dashboard_month"],
    }
    return standing | parts(usage.IDLE_MONTH)


def document() -> str:
    """Return the page."""
    return "\n".join([_HEAD, *_idle(), "", *_turns(), *_stored(), "", *_prices(), ""])


def _gb(function: str) -> float:
    return usage.MEMORY_MB.get(function, usage.DEFAULT_MEMORY_MB) / 1024


def _gb_seconds(used: Usage) -> float:
    return sum(
        number * _gb(function) * usage.BILLED_MS.get(function, usage.DEFAULT_BILLED_MS) / 1000
        for function, number in used.invocations.items()
    )


_HEAD = f"""\
# What it costs

Computed by `make costs`, from the prices in `infra/prices.json` and the usage in `infra/usage.py`. How often functions
run, states change and AWS is called is counted in a run over all functions on one machine, and a test compares it.
Nothing was run on AWS, so how long functions run is a guess: {usage.DEFAULT_BILLED_MS} ms each,
{usage.BILLED_MS["Think"] / 1000:g} s for a model's answer, {usage.BILLED_MS["Run"] / 1000:g} s for a tool. Left out are
free tiers, the model's tokens, which will be most of the bill, and what CloudFront takes for the page's visitors.
"""
_OF_TURNS = """
Talk is a message and its answer. Of the middle column half are such turns, four in ten call two tools side by side, and
one in ten is one of files: one is uploaded, a tool makes two of it, and both are fetched (1 MB).
"""


def _idle() -> Iterator[str]:
    yield from ("## Idle", "", "| part | US$ a month |", "|---|--:|")
    costs = of_idle_month()
    yield from (f"| {part} | {cost:.3f} |" for part, cost in costs.items() if cost)
    yield f"| **all** | **{sum(costs.values()):.2f}** |"


def _turns() -> Iterator[str]:
    costs = {name: of_turns(mix) for name, mix in usage.MIXES.items()}
    yield from ("## 1,000 turns", "", f"| part | {' | '.join(costs)} |", f"|---|{'--:|' * len(costs)}")
    for part in next(iter(costs.values())):
        if any(each[part] for each in costs.values()):
            yield f"| {part} | {' | '.join(f'{each[part]:.3f}' for each in costs.values())} |"
    yield f"| **all, US$** | {' | '.join(f'**{sum(each.values()):.2f}**' for each in costs.values())} |"
    yield _OF_TURNS


def _stored() -> Iterator[str]:
    prices = price_list()["prices"]
    yield from ("## What is stored", "", "| kept | US$ a month |", "|---|--:|")
    kept = ("s3_gb_month", "dynamodb_gb_month", "dynamodb_recovery_gb_month", "metric_month")
    yield from (f"| {prices[name]['per']} | {prices[name]['usd']:g} |" for name in kept)


def _prices() -> Iterator[str]:
    listed = price_list()
    yield from ("## Prices", "", f"{listed['region']}, looked up on {listed['looked_up']}. {listed['note']}", "")
    yield from ("| US$ | for | source | of |", "|--:|---|---|---|")
    for price in listed["prices"].values():
        source = f"<{price['source']}>" if price["source"] else "from memory: not found in what could be read"
        yield f"| {_shown(price['usd'])} | {price['per']} | {source} | {price['of']} |"


def _shown(dollars: float) -> str:
    return f"{dollars:g}" if dollars >= _MANY else f"{dollars * 1e6:g} a million"


if __name__ == "__main__":
    if "--write" in sys.argv:
        DOCUMENT.write_text(document(), encoding="utf-8")
    else:
        sys.stdout.write(document())
