"""The versions in which a use case reads the stored tool lists."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from satchel.domain.steps import CallStep
from satchel.domain.tools import StoredToolList
from satchel.ports.steps import CallRecords
from tests.fakes.runners import FakeToolLists
from tests.fakes.steps import FakeSteps


def record_versions(monkeypatch: pytest.MonkeyPatch, current: int) -> list[int | None]:
    """Let the records of calls have this version, and return a list to which each later read adds its version."""
    versions: list[int | None] = []
    read_call, get_many = FakeSteps.read_call, FakeToolLists.get_many

    def read_current(steps: FakeSteps, step: CallStep) -> CallRecords:
        return replace(read_call(steps, step), tools_version=current)

    def get_version(
        lists: FakeToolLists, config_hashes: Mapping[str, str], version: int | None = None
    ) -> Mapping[str, StoredToolList]:
        versions.append(version)
        return get_many(lists, config_hashes, version)

    monkeypatch.setattr(FakeSteps, "read_call", read_current)
    monkeypatch.setattr(FakeToolLists, "get_many", get_version)
    return versions
