"""Checks of stores to adopt, stores that were left, and secrets."""

import json
from pathlib import Path
from typing import Any

import boto3
import pytest

from infra.sources import load_definition
from local.deploy_check.findings import Level
from tests.integration.deploy_check.conftest import REGION, Find
from tests.integration.deploy_check.lines import texts
from tests.integration.deploy_check.recorded_answers import RecordedAnswers


def create_bucket(session: boto3.Session, name: str, region: str = REGION) -> None:
    location: Any = {"LocationConstraint": region}
    session.client("s3", region_name=region).create_bucket(Bucket=name, CreateBucketConfiguration=location)


def create_table(session: boto3.Session, name: str, view: str = "NEW_IMAGE") -> str:
    """Create a table like the deployment's, but without expiry, and return the ARN of its stream."""
    definition = {key: value for key, value in load_definition("table").items() if key != "TimeToLiveSpecification"}
    definition["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": view}
    return str(
        session.client("dynamodb").create_table(TableName=name, **definition)["TableDescription"]["LatestStreamArn"]
    )


def test_store_of_an_earlier_deployment_is_a_warning_with_the_setting(session: boto3.Session, find: Find) -> None:
    create_bucket(session, "satchel-data-files1a2b-abc")
    create_bucket(session, "another-bucket")
    create_table(session, "satchel-data-Records1A2B-ABC")
    (bucket,), (table,) = find(check="buckets"), find(check="tables")
    assert (bucket.level, table.level) == (Level.WARNING, Level.WARNING)
    assert "left the bucket satchel-data-files1a2b-abc" in bucket.text
    assert "existing_bucket" in bucket.action
    assert "existing_table" in table.action


def test_stores_of_the_living_deployment_are_no_leftovers(
    session: boto3.Session, answers: RecordedAnswers, find: Find
) -> None:
    create_bucket(session, "satchel-data-files1a2b-abc")
    resource = {"LogicalResourceId": "Files", "PhysicalResourceId": "satchel-data-files1a2b-abc"}
    state = {"ResourceStatus": "CREATE_COMPLETE", "LastUpdatedTimestamp": "2026-01-01T00:00:00Z"}
    answers.give(
        "ListStackResources", StackResourceSummaries=[{**resource, **state, "ResourceType": "AWS::S3::Bucket"}]
    )
    assert [each.level for each in find(check="buckets")] == [Level.OK]


def test_bucket_to_adopt_must_exist_in_the_region(session: boto3.Session, find: Find) -> None:
    create_bucket(session, "kept-here")
    create_bucket(session, "kept-elsewhere", "eu-west-1")
    levels = {
        name: find(f"existing_bucket={name}", check="buckets")[0].level
        for name in ("kept-here", "kept-elsewhere", "absent")
    }
    assert levels == {"kept-here": Level.OK, "kept-elsewhere": Level.FAILS, "absent": Level.FAILS}


def test_table_to_adopt_must_have_the_named_stream(session: boto3.Session, find: Find) -> None:
    stream = create_table(session, "kept")
    assert texts(find(f"existing_table={stream}", check="tables"), Level.FAILS) == []
    for wrong in (
        f"{stream}1",
        stream.replace("table/kept", "table/absent"),
        create_table(session, "keys", "KEYS_ONLY"),
    ):
        assert len(texts(find(f"existing_table={wrong}", check="tables"), Level.FAILS)) == 1


def test_table_to_adopt_without_expiry_is_a_warning(session: boto3.Session, find: Find) -> None:
    setting = f"existing_table={create_table(session, 'kept')}"
    assert texts(find(setting, check="tables"), Level.WARNING) == ["existing_table: items of kept do not expire"]
    session.client("dynamodb").update_time_to_live(
        TableName="kept", TimeToLiveSpecification={"Enabled": True, "AttributeName": "ttl"}
    )
    assert texts(find(setting, check="tables"), Level.WARNING) == []


def test_user_pool_to_adopt_must_exist_and_have_no_second_sign_in_page(session: boto3.Session, find: Find) -> None:
    cognito = session.client("cognito-idp")
    pool = cognito.create_user_pool(PoolName="kept")["UserPool"]["Id"]
    setting = f"existing_user_pool={pool}"
    assert [each.level for each in find(setting, check="user pool")] == [Level.OK]
    assert [each.level for each in find(f"{setting}x", check="user pool")] == [Level.FAILS]
    cognito.create_user_pool_domain(Domain="kept-page", UserPoolId=pool)
    (finding,) = find(setting, check="user pool")
    page = f"existing_sign_in_page=https://kept-page.auth.{REGION}.amazoncognito.com"
    assert (finding.level, finding.action) == (Level.FAILS, f"set {page}")
    assert [each.level for each in find(setting, page, check="user pool")] == [Level.OK]


@pytest.fixture
def servers(tmp_path: Path) -> str:
    entries = {
        "tracker": {"url": "https://tracker.example/mcp", "auth_token": "${TRACKER}"},
        "search": {"command": ["python", "main.py"], "env": {"KEY": "${SEARCH}", "SAME": "${TRACKER}"}},
        "off": {"url": "https://off.example/mcp", "auth_token": "${OFF}", "enabled": False},
    }
    (tmp_path / "mcp.json").write_text(json.dumps(entries))
    return f"servers={tmp_path}"


def test_each_secret_that_servers_and_models_need_must_exist(session: boto3.Session, find: Find, servers: str) -> None:
    model = "model=anthropic:claude"
    findings = find(servers, model, check="secrets")
    assert texts(findings, Level.FAILS) == [
        "there is no secret satchel/ANTHROPIC_API_KEY, so calls fail: model anthropic:claude",
        "there is no secret satchel/SEARCH, so calls fail: server search",
        "there is no secret satchel/TRACKER, so calls fail: server search, server tracker",
    ]
    assert "aws secretsmanager create-secret --name satchel/SEARCH" in findings[1].action
    secrets = session.client("secretsmanager")
    for name in ("ANTHROPIC_API_KEY", "SEARCH", "TRACKER"):
        secrets.create_secret(Name=f"satchel/{name}", SecretString="x")
    assert [each.level for each in find(servers, model, check="secrets")] == [Level.OK] * 3
    secrets.delete_secret(SecretId="satchel/SEARCH")
    (text,) = texts(find(servers, model, check="secrets"), Level.FAILS)
    assert text.startswith("the secret satchel/SEARCH is being deleted")
