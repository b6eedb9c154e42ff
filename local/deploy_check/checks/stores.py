"""Checks of buckets, tables and user pools to adopt, and of stores that an earlier deployment left."""

from collections.abc import Iterable, Iterator

from local.deploy_check.account import Account
from local.deploy_check.findings import Finding, fails, ok, warning
from local.deploy_check.plan import Plan
from local.deploy_check.reads import (
    DESCRIBE_TABLE,
    DESCRIBE_TIME_TO_LIVE,
    DESCRIBE_USER_POOL,
    HEAD_BUCKET,
    LIST_BUCKETS,
    LIST_TABLES,
)

_RESTORE = "docs/deploy.md, “Restore and adopt”, has the commands"


def check_bucket(plan: Plan, account: Account) -> Iterator[Finding]:
    """Check the bucket to adopt, or look for buckets of an earlier deployment."""
    name = plan.settings.existing_bucket
    if name is None:
        buckets = account.read_all(LIST_BUCKETS, "Buckets[].Name")
        yield from _leftovers(plan, account, "bucket", buckets, "existing_bucket")
        return
    region = account.read(HEAD_BUCKET, Bucket=name).get("BucketRegion")
    if region is None:
        yield fails(f"existing_bucket: there is no bucket {name}", "set the name of an existing bucket")
    elif region != account.region:
        yield fails(f"existing_bucket: {name} is in {region}, not in {account.region}", "adopt a bucket of the region")
    else:
        yield ok(f"existing_bucket: {name} exists")


def check_table(plan: Plan, account: Account) -> Iterator[Finding]:
    """Check the table to adopt, with its stream and expiry, or look for tables of an earlier deployment."""
    stream = plan.settings.existing_table
    if stream is None:
        tables = account.read_all(LIST_TABLES, "TableNames")
        yield from _leftovers(plan, account, "table", tables, "existing_table")
        return
    arn = stream.partition("/stream/")[0]
    name = arn.rpartition("/")[2]
    table = account.read(DESCRIBE_TABLE, TableName=name).get("Table", {})
    if table.get("TableArn") != arn:
        yield fails(f"existing_table: {account.region} has no table {name} of this account", _RESTORE)
        return
    if table.get("LatestStreamArn") != stream or not table.get("StreamSpecification", {}).get("StreamEnabled"):
        yield fails(
            f"existing_table: {stream} is not the current stream of {name}",
            f"aws dynamodb describe-table --table-name {name} --query Table.LatestStreamArn",
        )
    elif table["StreamSpecification"].get("StreamViewType") != "NEW_IMAGE":
        yield fails(f"existing_table: the stream of {name} does not contain new images", _RESTORE)
    else:
        yield ok(f"existing_table: {name} has the stream")
    expiry = account.read(DESCRIBE_TIME_TO_LIVE, TableName=name).get("TimeToLiveDescription", {})
    if expiry.get("TimeToLiveStatus") not in {"ENABLED", "ENABLING"}:
        yield warning(f"existing_table: items of {name} do not expire", _RESTORE)


def check_user_pool(plan: Plan, account: Account) -> Iterator[Finding]:
    """Check the user pool to adopt, and that it has no sign-in page if the deployment creates one."""
    pool_id = plan.settings.existing_user_pool
    if pool_id is None:
        return
    pool = account.read(DESCRIBE_USER_POOL, UserPoolId=pool_id).get("UserPool", {})
    if not pool:
        yield fails(f"existing_user_pool: there is no user pool {pool_id}", "set the id of an existing user pool")
    elif plan.creates_sign_in_page and pool.get("Domain", "") not in {"", *account.resources(plan.service_stack)}:
        page = f"https://{pool['Domain']}.auth.{account.region}.amazoncognito.com"
        yield fails(f"existing_user_pool: {pool_id} already has a sign-in page", f"set existing_sign_in_page={page}")
    else:
        yield ok(f"existing_user_pool: {pool_id} exists")


def _leftovers(plan: Plan, account: Account, kind: str, names: Iterable[str], setting: str) -> Iterator[Finding]:
    """Yield a warning for each store of an earlier deployment with the same name, if there is no data stack now."""
    prefix = f"{plan.data_stack}-"
    own = account.resources(plan.data_stack)
    left = [] if own else [name for name in names if name.startswith(prefix)]
    for name in left:
        yield warning(
            f"an earlier deployment left the {kind} {name}; the new deployment creates an empty one beside it",
            f"to use it, set {setting}: {_RESTORE}",
        )
    if not left:
        yield ok(f"no {kind} of an earlier deployment is left over")
