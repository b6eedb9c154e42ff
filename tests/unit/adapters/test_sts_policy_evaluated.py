"""What the credentials of a call let one do, by the meaning of their policy and not by its text."""

from typing import Any, cast

import pytest

from satchel.adapters.sts_credentials import StsCredentials
from satchel.domain.ids import call_id
from satchel.domain.object_keys import call_objects_prefixes, outcome_key
from tests.policies import allows

TURN, OTHER_TURN = "t01kabcdefghjkmnpqrstvwxyz0", "t01kabcdefghjkmnpqrstvwxyz1"
CALL, OTHER_CALL = call_id(TURN, 0, 0), call_id(TURN, 0, 1)
PREFIXES, OUTCOME = call_objects_prefixes("ada", CALL), outcome_key("ada", TURN, CALL)
POLICY = StsCredentials(cast("Any", None), "arn:aws:iam::1:role/call", "files", "records").policy(
    TURN, PREFIXES, OUTCOME
)
PREFIX = PREFIXES[0]
TABLE = "arn:aws:dynamodb:eu-central-1:123456789012:table/records"


def may(action: str, key: str) -> bool:
    return allows(POLICY, action, f"arn:aws:s3:::files/{key}")


def may_in_turn(action: str, turn: str) -> bool:
    return allows(POLICY, action, TABLE, {"dynamodb:LeadingKeys": [f"TURN#{turn}"]})


def test_a_call_may_store_what_it_made_and_its_outcome() -> None:
    for prefix in PREFIXES:
        assert may("s3:PutObject", f"{prefix}x/report.html")
        assert may("s3:PutObjectTagging", f"{prefix}x/report.html")
    assert may("s3:PutObject", OUTCOME)


@pytest.mark.clause("v2.1:storage:apart")
@pytest.mark.parametrize(
    "key",
    [
        *(f"{prefix}x/report.html" for prefix in call_objects_prefixes("ada", OTHER_CALL)),
        *call_objects_prefixes("ada2", CALL),
        *call_objects_prefixes("bob", CALL),
        outcome_key("ada", TURN, OTHER_CALL),
        outcome_key("ada", OTHER_TURN, CALL),
        outcome_key("bob", TURN, CALL),
        "ada/uploads/20260301/f01/secret.csv",
        f"x{OUTCOME}",
        f"{OUTCOME}.bak",
        "",
    ],
)
def test_nothing_else_is_within_its_reach(key: str) -> None:
    assert not may("s3:PutObject", key)


@pytest.mark.parametrize("action", ["s3:GetObject", "s3:DeleteObject", "s3:ListBucket", "s3:PutObjectAcl"])
def test_even_of_its_own_it_may_not_do_everything(action: str) -> None:
    assert not may(action, f"{PREFIX}x/report.html")
    assert not allows(POLICY, action, "arn:aws:s3:::files")


def test_no_other_bucket_and_no_other_table() -> None:
    assert not allows(POLICY, "s3:PutObject", f"arn:aws:s3:::files2/{OUTCOME}")
    turn = {"dynamodb:LeadingKeys": [f"TURN#{TURN}"]}
    assert not allows(POLICY, "dynamodb:PutItem", f"{TABLE}2", turn)
    assert not allows(POLICY, "dynamodb:PutItem", f"{TABLE}/index/by-name", turn)


@pytest.mark.parametrize("action", ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"])
def test_items_of_its_own_turn_alone(action: str) -> None:
    assert may_in_turn(action, TURN)
    assert not may_in_turn(action, OTHER_TURN)
    assert not may_in_turn(action, f"{TURN}x")
    assert not allows(POLICY, action, TABLE, {"dynamodb:LeadingKeys": ["USER#ada"]})
    assert not allows(POLICY, action, TABLE, {"dynamodb:LeadingKeys": [f"TURN#{TURN}", f"TURN#{OTHER_TURN}"]})


@pytest.mark.parametrize(
    "action", ["dynamodb:Query", "dynamodb:Scan", "dynamodb:DeleteItem", "dynamodb:BatchWriteItem", "sts:AssumeRole"]
)
def test_nothing_that_needs_no_key(action: str) -> None:
    assert not allows(POLICY, action, TABLE)
