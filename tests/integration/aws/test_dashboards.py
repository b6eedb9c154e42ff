import os
from itertools import islice

import pytest

from satchel.adapters.dynamodb.conditions import ConditionFailed
from satchel.adapters.dynamodb.dashboards import DynamoDashboards
from satchel.adapters.dynamodb.table import Query, Table
from satchel.domain.canvas import CanvasAction, Dashboard
from satchel.domain.ids import CanvasId, SessionId, TurnId, UserName, call_id, new_id
from tests.integration.aws.makers import fresh, moment, someone


@pytest.fixture
def dashboards(table: Table) -> DynamoDashboards:
    return DynamoDashboards(table)


def a_dashboard(user: str, session_id: str, canvas_id: str = "monitor-42") -> Dashboard:
    return Dashboard(
        canvas_id=canvas_id,
        user=user,
        session_id=session_id,
        call_id=call_id(TurnId(fresh("t")), 0, 0),
        url="https://dash.example/view",
        opened_at=moment(),
    )


def an_action(dashboard: Dashboard, action: str = "acknowledge", **details: object) -> CanvasAction:
    now = moment()
    return CanvasAction(
        action_id=new_id("a", now, os.urandom(10)),
        **dashboard.model_dump(include={"canvas_id", "session_id", "call_id", "user"}),
        action=action,
        details=details,
        at=now,
    )


def logged(table: Table, dashboard: Dashboard) -> list[CanvasAction]:
    """What was done in one dashboard, in order: one query of one partition."""
    items, _ = table.query(Query(f"SESSION#{dashboard.session_id}", f"ACTION#{dashboard.canvas_id}/"))
    return [CanvasAction.model_validate_json(str(item["doc"])) for item in items]


@pytest.mark.parametrize("canvas_id", ["monitor-42", "größe \U0001f4c8", "a#b", "\U0001f4c8" * 128])
def test_a_dashboard_comes_back_as_it_was_opened(dashboards: DynamoDashboards, user: str, canvas_id: str) -> None:
    opened = a_dashboard(user, fresh("s"), canvas_id)

    dashboards.keep(opened)

    assert dashboards.get(UserName(user), CanvasId(canvas_id), opened.session_id) == opened
    assert list(dashboards.named(UserName(user), CanvasId(canvas_id))) == [opened]


def test_opened_again_in_its_session_it_is_the_later_one(dashboards: DynamoDashboards, user: str) -> None:
    session_id = fresh("s")
    dashboards.keep(a_dashboard(user, session_id))
    later = a_dashboard(user, session_id)

    dashboards.keep(later)

    assert list(dashboards.named(UserName(user), CanvasId("monitor-42"))) == [later]


def test_those_of_one_id_come_newest_session_first_whatever_the_order_of_writing(
    dashboards: DynamoDashboards, user: str
) -> None:
    opened = [a_dashboard(user, fresh("s")) for _ in range(25)]
    for dashboard in opened[1::2] + opened[::2]:
        dashboards.keep(dashboard)

    assert list(dashboards.named(UserName(user), CanvasId("monitor-42"))) == opened[::-1]
    assert list(islice(dashboards.named(UserName(user), CanvasId("monitor-42")), 1)) == opened[-1:]


def test_an_id_is_not_the_beginning_of_another(dashboards: DynamoDashboards, user: str) -> None:
    dashboards.keep(a_dashboard(user, fresh("s"), "monitor-42"))

    assert list(dashboards.named(UserName(user), CanvasId("monitor-4"))) == []
    assert list(dashboards.named(UserName(user), CanvasId("monitor-42#"))) == []


def test_what_is_not_there_or_somebody_elses_is_none(dashboards: DynamoDashboards, user: str) -> None:
    opened = a_dashboard(user, fresh("s"))
    dashboards.keep(opened)

    stranger = UserName(someone())
    assert dashboards.get(stranger, CanvasId("monitor-42"), opened.session_id) is None
    assert dashboards.get(UserName(user), CanvasId("monitor-42"), SessionId(fresh("s"))) is None
    assert list(dashboards.named(stranger, CanvasId("monitor-42"))) == []


def test_actions_are_kept_in_order_apart_for_each_dashboard(
    dashboards: DynamoDashboards, table: Table, user: str
) -> None:
    session_id = fresh("s")
    one, other = a_dashboard(user, session_id), a_dashboard(user, session_id, "monitor-42b")
    actions = [an_action(one, str(number), text="größe", nested=[{"a": None}]) for number in range(3)]
    for action in [actions[2], actions[0], actions[1], an_action(other)]:
        dashboards.log(action)

    assert logged(table, one) == actions


def test_an_action_is_never_written_over(dashboards: DynamoDashboards, table: Table, user: str) -> None:
    dashboard = a_dashboard(user, fresh("s"))
    action = an_action(dashboard)
    dashboards.log(action)

    with pytest.raises(ConditionFailed):
        dashboards.log(action.model_copy(update={"action": "nothing"}))

    assert logged(table, dashboard) == [action]
