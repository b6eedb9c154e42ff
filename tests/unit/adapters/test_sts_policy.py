from typing import Any, cast

import pytest

from satchel.adapters.sts_credentials import StsCredentials

TURN = "t01kabcdefghjkmnpqrstvwxyz0"
PREFIXES = [f"ada@x.org/{kind}/20260301/f01kab" for kind in ("artifacts", "deferred")]
UNUSED = cast("Any", None)


def test_a_call_may_write_its_own_objects_and_its_turns_items_and_nothing_else() -> None:
    source = StsCredentials(UNUSED, "arn:aws:iam::1:role/call", "files", "records")

    policy = source.policy(TURN, PREFIXES, f"ada@x.org/turns/{TURN}/c/outcome.json")

    assert policy == {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Action": ["s3:PutObject", "s3:PutObjectTagging", "s3:AbortMultipartUpload"],
                "Resource": [
                    "arn:aws:s3:::files/ada@x.org/artifacts/20260301/f01kab*",
                    "arn:aws:s3:::files/ada@x.org/deferred/20260301/f01kab*",
                    f"arn:aws:s3:::files/ada@x.org/turns/{TURN}/c/outcome.json",
                ],
            },
            {
                "Effect": "Allow",
                "Action": ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"],
                "Resource": ["arn:aws:dynamodb:*:*:table/records"],
                "Condition": {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": [f"TURN#{TURN}"]}},
            },
        ],
    }


@pytest.mark.clause("v2.1:storage:apart")
def test_nobodys_name_can_stand_for_somebody_elses() -> None:
    """``ada`` is a beginning of ``ada2``: the slash behind the name keeps them apart."""
    source = StsCredentials(UNUSED, "", "files", "records")

    [objects, _] = source.policy(TURN, ["ada/artifacts/20260301/f01kab"], "ada/turns/x")["Statement"]

    assert not any(resource.startswith("arn:aws:s3:::files/ada2/") for resource in objects["Resource"])
    assert all(resource.startswith("arn:aws:s3:::files/ada/") for resource in objects["Resource"])
