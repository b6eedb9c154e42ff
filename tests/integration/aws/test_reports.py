"""Reports of runners: small ones in the table, large ones in S3."""

import io

import pytest

from satchel.adapters.dynamodb.reports import MAX_ITEM_BYTES, MAX_REPORT_BYTES, DynamoReports
from satchel.adapters.dynamodb.table import Table
from satchel.adapters.s3_files import S3Files
from satchel.contract import Display, ToolTimedOut
from satchel.domain.calls import Call, RunnerReport
from satchel.domain.ids import UserName
from satchel.domain.object_keys import outcome_key
from tests.integration.aws.factories import make_call, make_session, make_turn

LARGE = RunnerReport(results="x" * MAX_ITEM_BYTES)


@pytest.fixture
def reports(table: Table, store: S3Files) -> DynamoReports:
    return DynamoReports(table, store)


@pytest.fixture
def call() -> Call:
    return make_call(make_turn(make_session(UserName("ada@example.com"))))


def key_of(call: Call) -> str:
    return outcome_key(call.user, call.turn_id, call.call_id)


def error_of(reports: DynamoReports, call: Call) -> str:
    report = reports.read(call)
    assert report is not None
    assert report.is_error
    return str(report.results["error"])


@pytest.mark.parametrize(
    "report",
    [
        RunnerReport(),
        RunnerReport(results={"ü": [1, None, 0.5]}, display=Display(open_canvas=True, primary_file="a")),
        RunnerReport.from_error(ToolTimedOut(30), 5),
        LARGE,
    ],
    ids=["empty", "small", "error", "large"],
)
def test_report_is_read_as_stored_and_is_an_object_only_if_it_is_large(
    reports: DynamoReports, call: Call, report: RunnerReport
) -> None:
    reports.save(call, report)
    assert reports.read(call) == report
    assert (reports.store.head(key_of(call)) is not None) is (report is LARGE)


def test_large_report_is_deleted_by_the_lifecycle_rule_if_its_turn_ends_without_it(
    table: Table, store: S3Files, call: Call
) -> None:
    DynamoReports(table, store).save(call, LARGE)
    tags = store.client.get_object_tagging(Bucket=store.bucket, Key=key_of(call))["TagSet"]
    assert tags == [{"Key": "retention", "Value": "unkept"}]


@pytest.mark.parametrize("sizes", [(1, 1), (1, MAX_ITEM_BYTES), (MAX_ITEM_BYTES, 1), (MAX_ITEM_BYTES, MAX_ITEM_BYTES)])
def test_report_replaces_the_one_of_an_earlier_run(reports: DynamoReports, call: Call, sizes: tuple[int, int]) -> None:
    for number, size in enumerate(sizes):
        reports.save(call, RunnerReport(results=str(number) * size))
    assert reports.read(call) == RunnerReport(results="1" * sizes[1])


def test_report_of_a_runner_of_an_earlier_version_is_read(reports: DynamoReports, call: Call) -> None:
    body = RunnerReport(results="old").model_dump_json().encode()
    reports.store.put(key_of(call), io.BytesIO(body), "application/json")
    assert reports.read(call) == RunnerReport(results="old")


def test_missing_report_is_none(reports: DynamoReports, call: Call) -> None:
    assert reports.read(call) is None


MALFORMED = [
    "",
    "{",
    "[]",
    '{"files": [{"key": "a"}]}',
    '{"error_code": "E_MADE_UP"}',
    '{"duration_ms": "long"}',
]


@pytest.mark.parametrize("text", MALFORMED)
def test_malformed_report_in_the_table_fails_the_call(reports: DynamoReports, call: Call, text: str) -> None:
    reports.table.put({"pk": f"RUN#{call.call_id}", "sk": "OUTCOME", "doc": text})
    assert error_of(reports, call).startswith("The runner's report is invalid: the report is malformed")


@pytest.mark.parametrize("value", [7, True])
def test_report_of_another_type_in_the_table_fails_the_call(reports: DynamoReports, call: Call, *, value: int) -> None:
    reports.table.put({"pk": f"RUN#{call.call_id}", "sk": "OUTCOME", "doc": value})
    assert error_of(reports, call).startswith("The runner's report is invalid: the report is malformed")


@pytest.mark.parametrize("body", [*(text.encode() for text in MALFORMED), b"\xff"])
def test_malformed_object_fails_the_call(reports: DynamoReports, call: Call, body: bytes) -> None:
    reports.store.put(key_of(call), io.BytesIO(body), "application/json")
    assert error_of(reports, call).startswith("The runner's report is invalid: the report is malformed")


def test_too_large_object_fails_the_call(reports: DynamoReports, call: Call) -> None:
    reports.store.put(key_of(call), io.BytesIO(b" " * (MAX_REPORT_BYTES + 1)), "application/json")
    assert "bytes" in error_of(reports, call)
