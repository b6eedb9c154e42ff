"""Deployments in all partitions of AWS: no name contains the partition ``aws``, which other partitions do not have."""

import pytest

from infra.sources import ROOT

SOURCES = [
    path
    for folder in ("functions", "infra", "layers", "local", "web/src", "docs")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in {".py", ".json", ".ts", ".tsx", ".md", ".toml", ".yaml"} and "node_modules" not in path.parts
]


def test_no_source_names_the_partition_in_an_arn() -> None:
    assert [path for path in SOURCES if "arn:aws:" in path.read_text(encoding="utf-8")] == []


@pytest.mark.parametrize("name", ["turn.asl.json", "sts_credentials.py"])
def test_search_covers_the_files_that_contain_arns(name: str) -> None:
    assert name in {path.name for path in SOURCES}
