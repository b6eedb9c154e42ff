"""docs/deploy.md as it is written: all of its blocks run in order, and what it says about the result is true."""

import json
import ssl
import time
from dataclasses import dataclass

import httpx2
import pytest
from botocore.exceptions import ClientError
from websockets.sync.client import connect

from infra.sources import ROOT
from tests.e2e.user_client import Json, UserClient
from tests.witness.conftest import Operator
from tests.witness.document import Block, blocks
from tests.witness.stand_in import ACCOUNT, REGION

BLOCKS = blocks(ROOT / "docs" / "deploy.md")
LAST_HEADING = "Update, roll back, delete"
pytestmark = pytest.mark.timeout(3600)  # most of it is for CloudFormation's and npm's work on two slow processors
MAX_SECONDS = 180


@dataclass(frozen=True)
class SignedInUser(UserClient):
    """A user who signed in with the deployed user pool, and connects through the proxy."""

    token: str = ""
    proxy: str = ""
    tls: ssl.SSLContext | None = None

    def client(self) -> httpx2.Client:
        headers = {"Authorization": f"Bearer {self.token}"}
        return httpx2.Client(base_url=self.url, headers=headers, timeout=60, proxy=self.proxy, verify=self.tls or True)


@pytest.fixture
def user(operator: Operator) -> SignedInUser:
    url, token = operator.shell.run("echo $URL $TOKEN").split()
    tls = ssl.create_default_context(cafile=str(operator.aws.authorities))
    return SignedInUser(url, "ada@example.com", token=token, proxy=operator.aws.proxy, tls=tls)


@pytest.mark.parametrize("block", [each for each in BLOCKS if each.heading != LAST_HEADING], ids=str)
def test_block_of_the_document_runs(operator: Operator, block: Block) -> None:
    printed = operator.shell.run(block.commands)
    if "pytest" in block.commands:
        assert "5 passed, 1 skipped" in printed, (
            "only the test of a tool that waits is skipped: no such tool is deployed"
        )


def test_page_is_published_with_its_configuration(operator: Operator, user: SignedInUser) -> None:
    client_id, pool = operator.shell.run("echo $CLIENT $POOL").split()
    page = user.request("GET", "/")
    assert page.status_code == httpx2.codes.OK
    assert '<div id="root">' in page.text
    assert "default-src" in page.headers["Content-Security-Policy"]
    config = user.request("GET", "/config.json").json()
    assert (config["client_id"], config["authority"]) == (
        client_id,
        f"https://cognito-idp.{REGION}.amazonaws.com/{pool}",
    )


def test_events_of_a_turn_are_pushed_over_the_websocket(user: SignedInUser) -> None:
    session_id = user.create_session()
    turn = user.start_turn(session_id, '/calculator.evaluate {"expression": "6*7"}')["turn_id"]
    ticket = user.request("POST", "/api/ws-ticket").json()
    assert ticket["url"] == f"{user.url.replace('https', 'wss')}/ws"
    events: list[Json] = []
    with connect(
        f"{ticket['url']}?ticket={ticket['ticket']}", ssl=user.tls, proxy=user.proxy, open_timeout=MAX_SECONDS
    ) as connection:
        connection.send(json.dumps({"action": "subscribe", "session_id": session_id, "turn_id": turn, "after": 0}))
        done = False
        while not done:
            message = json.loads(connection.recv(MAX_SECONDS))
            if message["type"] == "events":
                events += message["events"]
                done = message["done"]
    result = user.request("GET", f"/api/sessions/{session_id}/turns/{turn}").json()
    assert result["status"] == "complete"
    assert events == user.events(session_id, turn)


def test_erasure_deletes_all_objects_and_records_of_the_user(operator: Operator, user: SignedInUser) -> None:
    bucket = operator.shell.run("""jq -r '."satchel-data".Bucket' outputs.json""").strip()
    s3 = operator.client("s3")
    assert s3.list_object_versions(Bucket=bucket)["Versions"]
    confirm = user.request("DELETE", "/api/me").json()["confirm_token"]
    response = user.request("DELETE", "/api/me", headers={"X-Satchel-Confirm": confirm})
    assert response.status_code == httpx2.codes.ACCEPTED, response.text
    deadline = time.monotonic() + MAX_SECONDS
    while not user.request("GET", "/api/me").json()["erasure"]["finished_at"]:
        assert time.monotonic() < deadline, "not finished"
        time.sleep(1)
    versions = s3.list_object_versions(Bucket=bucket)
    assert [each["Key"] for each in versions.get("Versions", []) if "ada@example.com" in each["Key"]] == []


def test_emulator_denies_a_user_without_rights(operator: Operator) -> None:
    iam = operator.client("iam")
    iam.create_user(UserName="without-rights")
    key = iam.create_access_key(UserName="without-rights")["AccessKey"]
    assert operator.client("s3").list_buckets()["ResponseMetadata"]["HTTPStatusCode"] == httpx2.codes.OK
    with pytest.raises(ClientError, match="AccessDenied"):
        operator.client("s3", key=(key["AccessKeyId"], key["SecretAccessKey"])).list_buckets()
    iam.delete_access_key(UserName="without-rights", AccessKeyId=key["AccessKeyId"])
    iam.delete_user(UserName="without-rights")


def test_no_request_of_a_function_was_denied(operator: Operator) -> None:
    """The emulator evaluates the roles that the templates define, and the session policies of calls."""
    logs = operator.client("logs")
    groups = [each["logGroupName"] for each in logs.describe_log_groups()["logGroups"]]
    events = [each for group in groups for each in logs.filter_log_events(logGroupName=group)["events"]]
    assert len(events) > 0
    assert [each for each in events if "is not authorized to perform" in each["message"]] == []


@pytest.mark.parametrize("block", [each for each in BLOCKS if each.heading == LAST_HEADING], ids=str)
def test_block_about_restoring_and_deleting_runs(operator: Operator, block: Block) -> None:
    operator.shell.run(block.commands)
    if "existing_table" in block.commands:
        functions = operator.client("lambda").list_functions()["Functions"]
        variables = [each.get("Environment", {}).get("Variables", {}) for each in functions]
        assert {each["SATCHEL_TABLE"] for each in variables if "SATCHEL_TABLE" in each} == {"satchel-restored"}


def test_deletion_leaves_only_what_the_document_says(operator: Operator) -> None:
    stacks = operator.client("cloudformation").describe_stacks()["Stacks"]
    assert [each["StackName"] for each in stacks] == ["CDKToolkit"]
    buckets = [each["Name"] for each in operator.client("s3").list_buckets()["Buckets"]]
    own = operator.shell.run("""jq -r '."satchel-data".Bucket' outputs.json""").strip()
    assert sorted(buckets) == sorted([f"cdk-hnb659fds-assets-{ACCOUNT}-{REGION}", own])
    assert len(operator.client("secretsmanager").list_secrets()["SecretList"]) == 1
    assert len(operator.client("cognito-idp").list_user_pools(MaxResults=10)["UserPools"]) == 1
    tables = operator.client("dynamodb").list_tables()["TableNames"]
    assert [name for name in tables if name != "satchel-restored"] == [operator.shell.run("echo $OWN").strip()]
    keys = operator.client("kms")
    states = {keys.describe_key(KeyId=each["KeyId"])["KeyMetadata"]["KeyState"] for each in keys.list_keys()["Keys"]}
    assert states == {"PendingDeletion"}
    assert operator.client("lambda").list_functions()["Functions"] == []
    assert operator.client("stepfunctions").list_state_machines()["stateMachines"] == []
    assert operator.client("apigatewayv2").get_apis()["Items"] == []
    assert operator.client("cloudfront").list_distributions()["DistributionList"].get("Items", []) == []
    roles = [each["RoleName"] for each in operator.client("iam").list_roles()["Roles"]]
    assert [name for name in roles if not name.startswith("cdk-")] == []
