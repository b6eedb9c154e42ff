"""The times that AWS takes, as medians and 99th percentiles in milliseconds, each with its source.

Times between are distributed log-normally. Nothing was measured on AWS: an entry without an address is an estimate, in
most cases because AWS publishes no figure. Change an entry, and ``make bench BENCH=--aws`` computes all results again.
"""

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass

_Z99 = 2.326  # the 99th percentile of the normal distribution, in standard deviations
ESTIMATE = "estimate"
_STREAM = "https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html"


@dataclass(frozen=True)
class Delay:
    """A random time: its median and 99th percentile in milliseconds, and where the figures are from."""

    median: float
    p99: float
    source: str = ESTIMATE

    def sample(self, rng: random.Random) -> float:
        """Return a time in seconds."""
        sigma = math.log(self.p99 / self.median) / _Z99
        return self.median / 1000 * math.exp(rng.gauss(0, sigma))


REQUESTS: Mapping[str, Delay] = {
    "dynamodb.GetItem": Delay(5, 20),
    "dynamodb.BatchGetItem": Delay(7, 25),
    "dynamodb.Query": Delay(6, 22),
    "dynamodb.PutItem": Delay(6, 22),
    "dynamodb.UpdateItem": Delay(6, 22),
    "dynamodb.DeleteItem": Delay(6, 22),
    "dynamodb.BatchWriteItem": Delay(8, 28),
    "dynamodb.TransactWriteItems": Delay(12, 45),
    "dynamodb.TransactGetItems": Delay(9, 35),
    "s3.GetObject": Delay(30, 200),
    "s3.HeadObject": Delay(20, 120),
    "s3.PutObject": Delay(45, 220),
    "s3.PutObjectTagging": Delay(25, 120),
    "s3.DeleteObjectTagging": Delay(25, 120),
    "stepfunctions.StartExecution": Delay(25, 90),
    "stepfunctions.SendTaskSuccess": Delay(20, 70),
    "stepfunctions.SendTaskHeartbeat": Delay(20, 70),
    "stepfunctions.DescribeExecution": Delay(20, 70),
    "lambda.Invoke": Delay(15, 50),
    "sts.AssumeRole": Delay(40, 120),
    "secretsmanager.GetSecretValue": Delay(15, 60),
    "kms.Sign": Delay(15, 60),
    "apigatewaymanagementapi.PostToConnection": Delay(15, 60),
}
"""The time of each request, seen by the function. A new service or operation needs an entry."""

TRANSITION = Delay(25, 80)
"""From the end of a state to the start of the next one (standard workflows)."""
HTTP_API = Delay(12, 40)
"""Time that API Gateway adds to an HTTP request, both ways."""
INVOCATION = Delay(10, 35)
"""Time that Lambda adds to an invocation of a warm environment."""
EVENT_QUEUE = Delay(15, 60)
"""The time of an asynchronous invocation in Lambda's queue."""
POLL_SECONDS = 0.25
POLL_SOURCE = _STREAM
"""Lambda polls an idle shard of a stream four times per second, so a record waits up to 0.25 s."""
POLL = Delay(10, 40)
"""The request with which Lambda reads records of a shard."""
SHARDS = 4
"""The shards of a new on-demand table: it starts with the capacity of four partitions (4,000 writes a second)."""

COLD_PLATFORM = Delay(200, 500, "https://www.stripesys.com/blog/aws-lambda-cold-starts")
"""The part of a cold start before a function's own code: environment, layers, runtime."""
SERVER_START = Delay(1500, 4000)
"""The start of an MCP server in a new environment of a runner: Python with the server's libraries, from new disks."""
LIFETIME_SECONDS = 2 * 3600
"""AWS ends each environment after some hours. In a simulation, after a random time with this mean (an estimate)."""

THROTTLE_PROBABILITY = 0.0005
THROTTLE = Delay(60, 250)
"""A throttled request is repeated by boto3, after a pause with jitter."""
