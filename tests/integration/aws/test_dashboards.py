import os
from itertools import islice

import pytest

from satchel.adapters.dynamodb.conditions import ConditionFailed
from satchel.adapters.dynamodb.dashboards import DynamoDashboards
from satchel.adapters.dynamodb.table import Query, Table
from satchel.domain.canvas import CanvasAction, Dashboard
from satchel.domain.ids import CanvasId, SessionId, UserName, call_id, new_id
from tests.integration.aws.factories import new_session_id, new_turn_id, new_user, next_time


@pytest.fixture
def dashboards(table: Table) -> DynamoDashboards:
    return DynamoDashboards(table)


def make_dashboard(user: UserName, session_id: SessionId, canvas_id: str = "monitor-42") -> Dashboard:
    return Dashboard(
        canvas_id=canvas_id,
        user=user,
        session_id=session_id,
        call_id=call_id(new_turn_id(), 0, 0),
        url="https://dash.example/view",
        opened_at=next_time(),
    )


def make_action(dashboard: Dashboard, action: str = "acknowledge", **details: object) -> CanvasAction:
    now = next_time()
    return CanvasAction(
        action_id=new_id("a", now, os.urandom(10)),
        **dashboard.model_dump(include={"canvas_id", "session_id", "call_id", "user"}),
        action=action,
        details=details,
        at=now,
    )


def list_actions(table: Table, dashboard: Dashboard) -> list[CanvasAction]:
    """Return the actions in a dashboard in order, with one query of one partition."""
    items, _ = table.query(Query(f"SESSION#{dashboard.session_id}", f"ACTION#{dashboard.canvas_id}/"))
    return [CanvasAction.model_validate_json(str(item["doc"])) for item in items]


@pytest.mark.parametrize("canvas_id", ["monitor-42", "größe \U0001f4c8", "a#b", "\U0001f4c8" * 128])
def test_dashboard_is_found_by_id_and_session(dashboards: DynamoDashboards, user: UserName, canvas_id: str) -> None:
    opened = make_dashboard(user, new_session_id(), canvas_id)

    dashboards.save(opened)

    assert dashboards.get(user, CanvasId(canvas_id), opened.session_id) == opened
    assert list(dashboards.list_by_id(user, CanvasId(canvas_id))) == [opened]


def test_saving_again_replaces_the_dashboard(dashboards: DynamoDashboards, user: UserName) -> None:
    session_id = new_session_id()
    dashboards.save(make_dashboard(user, session_id))
    later = make_dashboard(user, session_id)

    dashboards.save(later)

    assert list(dashboards.list_by_id(user, CanvasId("monitor-42"))) == [later]


def test_dashboards_with_one_id_are_listed_newest_session_first(dashboards: DynamoDashboards, user: UserName) -> None:
    opened = [make_dashboard(user, new_session_id()) for _ in range(25)]
    for dashboard in opened[1::2] + opened[::2]:
        dashboards.save(dashboard)

    assert list(dashboards.list_by_id(user, CanvasId("monitor-42"))) == opened[::-1]
    assert list(islice(dashboards.list_by_id(user, CanvasId("monitor-42")), 1)) == opened[-1:]


def test_id_does_not_match_a_longer_id(dashboards: DynamoDashboards, user: UserName) -> None:
    dashboards.save(make_dashboard(user, new_session_id(), "monitor-42"))

    assert list(dashboards.list_by_id(user, CanvasId("monitor-4"))) == []
    assert list(dashboards.list_by_id(user, CanvasId("monitor-42#"))) == []


def test_missing_and_another_users_dashboard_are_not_found(dashboards: DynamoDashboards, user: UserName) -> None:
    opened = make_dashboard(user, new_session_id())
    dashboards.save(opened)

    other_user = new_user()
    assert dashboards.get(other_user, CanvasId("monitor-42"), opened.session_id) is None
    assert dashboards.get(user, CanvasId("monitor-42"), new_session_id()) is None
    assert list(dashboards.list_by_id(other_user, CanvasId("monitor-42"))) == []


def test_actions_are_stored_in_order_for_each_dashboard(
    dashboards: DynamoDashboards, table: Table, user: UserName
) -> None:
    session_id = new_session_id()
    one, other = make_dashboard(user, session_id), make_dashboard(user, session_id, "monitor-42b")
    actions = [make_action(one, str(number), text="größe", nested=[{"a": None}]) for number in range(3)]
    for action in [actions[2], actions[0], actions[1], make_action(other)]:
        dashboards.add_action(action)

    assert list_actions(table, one) == actions


def test_action_is_never_overwritten(dashboards: DynamoDashboards, table: Table, user: UserName) -> None:
    dashboard = make_dashboard(user, new_session_id())
    action = make_action(dashboard)
    dashboards.add_action(action)

    with pytest.raises(ConditionFailed):
        dashboards.add_action(action.model_copy(update={"action": "nothing"}))

    assert list_actions(table, dashboard) == [action]
