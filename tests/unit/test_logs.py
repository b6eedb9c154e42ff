"""Logs of a function whose first invocations come side by side, as the calls of one turn do."""

from concurrent.futures import Future, ThreadPoolExecutor, wait

import pytest

from satchel.bootstrap import logs


def test_one_invocation_sets_them_up_while_the_others_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    with ThreadPoolExecutor(1) as beside:
        second: list[Future[object]] = []
        overtook: list[bool] = []

        def set_up(service: str) -> str:
            if service == "first":
                second.append(beside.submit(logs.set_up_logs, "second"))
                overtook.append(bool(wait(second, timeout=0.1).done))
            return service

        monkeypatch.setattr(logs, "_set_up", set_up)
        first: object = logs.set_up_logs("first")
        assert (first, second[0].result(10), overtook) == ("first", "second", [False])
