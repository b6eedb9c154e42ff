"""``python -m infra.costs``: print the AWS costs of an idle month and of 1,000 turns. ``--write`` writes docs/costs.md.

Costs are the quantities of ``usage`` times the prices of ``prices.json``, which names a source and date for each price.
Model tokens, most of the bill, depend on the conversation, so they are a table of their own.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from typing import TypedDict

from infra import usage
from infra.limits import MEMORY_MB, RUNNER_DISK_MIB
from infra.run_time import DEFAULT_WAIT_SECONDS, WAIT_SECONDS, billed_seconds
from infra.sources import ROOT
from infra.usage import ModelTokens, Usage

_FREE_DISK_MIB = 512
_MIN_SHOWN_USD = 0.01  # lower unit prices are shown per million units
DOCUMENT = ROOT / "docs" / "costs.md"


class Price(TypedDict):
    """A price in US dollars for one unit (``per``). ``source`` and its date (``of``) are empty if unknown."""

    usd: float
    per: str
    source: str
    of: str


class PriceList(TypedDict):
    """The structure of ``prices.json``: all AWS prices by name, for one region."""

    region: str
    looked_up: str
    note: str
    prices: dict[str, Price]


def read_prices() -> PriceList:
    """Return the AWS prices in ``prices.json``."""
    parsed: PriceList = json.loads((ROOT / "infra" / "prices.json").read_text(encoding="utf-8"))
    return parsed


def cost_of(quantities: Usage) -> dict[str, float]:
    """Return the costs of this usage in US dollars, by AWS service."""
    prices = {name: price["usd"] for name, price in read_prices()["prices"].items()}
    invocations = sum(quantities.invocations.values())
    runs = quantities.invocations.get("Run", 0)
    disk = runs * (RUNNER_DISK_MIB - _FREE_DISK_MIB) / 1024 * _billed_seconds("Run")
    environments = usage.NEW_ENVIRONMENTS * runs * _gb("Run") * prices["lambda_tenant_environment_gb"]
    return {
        "Lambda: requests": invocations * prices["lambda_request"],
        "Lambda: time": _gb_seconds(quantities) * prices["lambda_gb_second_arm64"],
        "Lambda: disks": disk * prices["lambda_disk_gb_second"],
        "Lambda: new tenant environments": environments,
        "Step Functions": quantities.transitions * prices["state_transition"],
        "DynamoDB: writes": quantities.writes * prices["dynamodb_write"],
        "DynamoDB: reads": quantities.reads * prices["dynamodb_read"],
        "S3: requests": quantities.puts * prices["s3_put"] + quantities.gets * prices["s3_get"],
        "API Gateway: requests": quantities.invocations.get("Api", 0) * prices["http_request"],
        "API Gateway: WebSocket": quantities.messages * prices["socket_message"],
        "CloudWatch: logs": invocations * usage.LOG_KB / (1 << 20) * prices["log_gb"],
        "Transfer to the internet": quantities.gb_out * prices["gb_out"],
    }


def cost_of_tokens(tokens: ModelTokens) -> float:
    """Return the costs of a model's tokens in US dollars."""
    prices = {name: price["usd"] for name, price in read_prices()["prices"].items()}
    return (
        tokens.read * prices["token_cache_read"]
        + tokens.written * prices["token_cache_write"]
        + tokens.uncached * prices["token_input"]
        + tokens.output * prices["token_output"]
    )


def cost_of_turns(mix: Mapping[str, float], turns: int = 1000) -> dict[str, float]:
    """Return the costs of this many turns in US dollars, by AWS service. ``mix`` is the share of each kind of turn."""
    shares = [(turns * share, cost_of(usage.TURNS[kind])) for kind, share in mix.items()]
    return {part: sum(number * costs[part] for number, costs in shares) for part in shares[0][1]}


def bridged_seconds(kind: str) -> float:
    """Return the estimated seconds of a turn of this kind, for which its response is streamed."""
    invocations = usage.TURNS[kind].invocations
    tools = WAIT_SECONDS["run_tool"] if "Run" in invocations else 0.0
    return invocations["Think"] * WAIT_SECONDS["think"] + tools + usage.BRIDGED_SECONDS


def cost_of_bridge(kind: str) -> dict[str, float]:
    """Return what the bridge adds to the costs of one turn in US dollars. The API waits for events as long as it."""
    prices = {name: price["usd"] for name, price in read_prices()["prices"].items()}
    requests = usage.BRIDGED_REQUESTS[kind]
    return {
        "Lambda: time of the bridge": bridged_seconds(kind) * _gb("Bridge") * prices["lambda_gb_second_arm64"],
        "Lambda: time of the API": bridged_seconds(kind) * _gb("Api") * prices["lambda_gb_second_arm64"],
        "Lambda: requests": (requests + 1) * prices["lambda_request"],
        "API Gateway: requests": requests * prices["http_request"],
        "CloudWatch: logs": (requests + 1) * usage.LOG_KB / (1 << 20) * prices["log_gb"],
    }


def cost_of_idle_month() -> dict[str, float]:
    """Return the costs of a month without users and stored files in US dollars, by AWS service."""
    prices = {name: price["usd"] for name, price in read_prices()["prices"].items()}
    fixed = {
        "Secrets Manager": usage.SECRETS * prices["secret_month"],
        "KMS: keys": usage.KEYS * prices["key_month"],
        "CloudWatch: alarms": usage.ALARM_METRICS * prices["alarm_month"],
        "CloudWatch: dashboards": usage.DASHBOARDS * prices["dashboard_month"],
    }
    return fixed | cost_of(usage.IDLE_MONTH)


def document() -> str:
    """Return docs/costs.md as Markdown."""
    return "\n".join(
        [
            _HEAD,
            *_idle_table(),
            "",
            *_turns_table(),
            *_tokens_table(),
            "",
            _SEARCH_NOTE,
            _TITLES_NOTE,
            *_bridge_table(),
            "",
            *_metrics_table(),
            "",
            *_storage_table(),
            "",
            *_price_table(),
            "",
        ]
    )


def _gb(function: str) -> float:
    return MEMORY_MB[_folder(function)] / 1024


def _folder(function: str) -> str:
    return "run_tool" if function == "Run" else re.sub(r"(?<!^)(?=[A-Z])", "_", function).lower()


def _billed_seconds(function: str) -> float:
    folder = _folder(function)
    return billed_seconds(folder, MEMORY_MB[folder])


def _gb_seconds(quantities: Usage) -> float:
    return sum(
        number * _gb(function) * _billed_seconds(function) for function, number in quantities.invocations.items()
    )


_MODEL, _TOOL = WAIT_SECONDS["think"], WAIT_SECONDS["run_tool"]
_HEAD = f"""\
# Costs

`make costs` computes these figures from the prices in `infra/prices.json` and the quantities in `infra/usage.py`. The
numbers of invocations, state transitions and AWS requests are measured in a local run of all functions, and a test
compares them. Run times are computed, because nothing was run on AWS: the measured processor time of a function, with
its share of a core ([memory](deploy.md#memory-processor-and-snapshots)), and an estimated wait: {_MODEL:g} s for a
model's answer, {_TOOL:g} s for a tool, {DEFAULT_WAIT_SECONDS:g} s for AWS in any other function.

Not included: free tiers, and CloudFront's charges for page visitors. [Model tokens](#model-tokens) have a table
of their own.
"""
_TURNS_NOTE = """
A talk turn is a message and its answer. The mix in the middle column has 50 % talk turns, 40 % turns with two parallel
tool calls, and 10 % file turns: the user uploads a file, a tool creates two files from it, and the user downloads both
(1 MB).
"""
_TOKENS_NOTE = """\
## Model tokens

Tokens are most of the bill. Providers bill input tokens at a tenth of their price if the request before began with the
same bytes. So instructions and tools come first, in a fixed order, and each message keeps the list of files that it was
sent with ([conversations](conversations.md)). The table has two conversations with 12 tools of usual size, results of
2,100 characters and a new file in each call, at the prices of Claude Sonnet 4.5. A test sends their requests to a model
of the prompt cache of each provider. For comparison: no cache, and a current list of files behind the latest message
only.
"""
_SEARCH_NOTE = """\
## Search

The index of the search for conversations is part of the writes above: a write unit for each KB of words. A turn of
150 different words has one KB (US$ 0.0006 for 1,000 turns). A request of a search reads the words of up to 100
conversations and their sessions, four KB in a read unit: for 100 conversations of six such turns, 170 read units
(US$ 0.02 for 1,000 searches). It reads at most 4,000 turns. Conversations of other users do not change its cost.
"""
_TITLES_NOTE = """\
## Titles

A title by the model is one request with at most 2,000 characters of the first message: about 80 to 700 input and 10
output tokens, so US$ 0.40 to 2.20 for 1,000 conversations at the prices of Claude Sonnet 4.5. It runs beside the
request for the answer in the same invocation, so it adds no invocation and no state. It adds what
[the data model](data-model.md) lists for a change of a session and for the tokens of a reply that is not stored: three
write units and one read unit, US$ 0.002 for 1,000 conversations.
"""
_METRICS_NOTE = """\
## Custom metrics

CloudWatch bills each combination of dimension values for the hours in which it has data, so this is the bill of a month
that has them in every hour; eight hours on working days are a quarter of it. Counted in the same run of all functions,
with four servers, and turns and calls that succeed and fail.
"""


_BRIDGE_NOTE = f"""\
## The bridge

With the setting `bridge`, a function ({MEMORY_MB["bridge"]} MB) streams the answers for other chat front ends. The API
({MEMORY_MB["api"]:,} MB) waits for events as long as this function. Both are billed while a turn runs: for the waits
above and {usage.BRIDGED_SECONDS:g} s more, and for a user's decision up to `bridge_wait_seconds`. These costs come on
top of those above. The requests are counted in a local run; what they read from the table is not. An unused bridge
costs nothing.
"""


def _idle_table() -> Iterator[str]:
    yield from ("## Idle", "", "| service | US$ a month |", "|---|--:|")
    costs = cost_of_idle_month()
    yield from (f"| {part} | {cost:.3f} |" for part, cost in costs.items() if cost)
    yield f"| **total** | **{sum(costs.values()):.2f}** |"


def _turns_table() -> Iterator[str]:
    costs = {name: cost_of_turns(mix) for name, mix in usage.MIXES.items()}
    yield from ("## 1,000 turns", "", f"| service | {' | '.join(costs)} |", f"|---|{'--:|' * len(costs)}")
    for part in next(iter(costs.values())):
        if any(each[part] for each in costs.values()):
            yield f"| {part} | {' | '.join(f'{each[part]:.3f}' for each in costs.values())} |"
    yield f"| **total, US$** | {' | '.join(f'**{sum(each.values()):.2f}**' for each in costs.values())} |"
    yield _TURNS_NOTE


def _tokens_table() -> Iterator[str]:
    columns = {"no cache": "no cache", "list moves": "only the latest message has a list", "cached": "as it is"}
    cached = "input tokens read from the cache"
    yield from (_TOKENS_NOTE, f"| US$ | {' | '.join(columns.values())} | {cached} |", f"|---|{'--:|' * 4}")
    for conversation, variants in usage.MODEL_TOKENS.items():
        costs = [f"{cost_of_tokens(variants[name]):.3f}" for name in columns]
        actual = variants["cached"]
        share = actual.read / (actual.read + actual.written + actual.uncached)
        yield f"| {conversation} | {' | '.join(costs)} | {share:.0%} |"


def _bridge_table() -> Iterator[str]:
    kinds = list(usage.BRIDGED_REQUESTS)
    titles = [f"{kind}, {bridged_seconds(kind):g} s, {usage.BRIDGED_REQUESTS[kind]} requests" for kind in kinds]
    yield from (_BRIDGE_NOTE, f"| US$ for 1,000 turns | {' | '.join(titles)} |", "|---|--:|--:|")
    costs = [cost_of_bridge(kind) for kind in kinds]
    for part in costs[0]:
        yield f"| {part} | {' | '.join(f'{1000 * each[part]:.3f}' for each in costs)} |"
    yield f"| **total** | {' | '.join(f'**{1000 * sum(each.values()):.2f}**' for each in costs)} |"
    waiting = (_gb("Bridge") + _gb("Api")) * 60 * read_prices()["prices"]["lambda_gb_second_arm64"]["usd"]
    yield f"| each minute of waiting for a decision | {' | '.join(f'{1000 * waiting:.2f}' for _ in kinds)} |"


def _metrics_table() -> Iterator[str]:
    price = read_prices()["prices"]["metric_month"]["usd"]
    yield from (_METRICS_NOTE, "| custom metric | combinations of dimension values | US$ a month |", "|---|--:|--:|")
    series = {**usage.METRIC_SERIES, "`TokensIn` and `TokensOut` of one model": usage.SERIES_PER_MODEL}
    for metric, number in series.items():
        yield f"| {metric if '`' in metric else f'`{metric}`'} | {number} | {number * price:.2f} |"
    total = sum(series.values())
    yield f"| **total** | **{total}** | **{total * price:.2f}** |"


def _storage_table() -> Iterator[str]:
    prices = read_prices()["prices"]
    yield from ("## Storage", "", "| unit | US$ a month |", "|---|--:|")
    names = ("s3_gb_month", "dynamodb_gb_month", "dynamodb_recovery_gb_month", "metric_month")
    yield from (f"| {prices[name]['per']} | {prices[name]['usd']:g} |" for name in names)


def _price_table() -> Iterator[str]:
    price_list = read_prices()
    looked_up = f"{price_list['region']}, looked up on {price_list['looked_up']}."
    yield from ("## Prices", "", f"{looked_up} {price_list['note']}", "")
    yield from ("| US$ | unit | source | date of the source |", "|--:|---|---|---|")
    for price in price_list["prices"].values():
        source = f"<{price['source']}>" if price["source"] else "from memory: no source found"
        yield f"| {_format_usd(price['usd'])} | {price['per']} | {source} | {price['of']} |"


def _format_usd(dollars: float) -> str:
    return f"{dollars:g}" if dollars >= _MIN_SHOWN_USD else f"{dollars * 1e6:g} per million"


if __name__ == "__main__":
    if "--write" in sys.argv:
        DOCUMENT.write_text(document(), encoding="utf-8")
    else:
        sys.stdout.write(document())
