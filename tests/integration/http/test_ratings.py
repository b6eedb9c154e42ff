"""Ratings of answers."""

import pytest
from starlette.testclient import TestClient

from satchel.domain.ids import TurnId
from tests.integration.http.api_client import ApiClient


@pytest.fixture
def rating_url(api: ApiClient) -> str:
    session_id = api.create_session()
    return f"/api/sessions/{session_id}/turns/{api.start_turn(session_id)}/rating"


def stored_rating(api: ApiClient, url: str) -> object:
    session_url = url.partition("/turns/")[0]
    (turn,) = api.get_json(session_url)["turns"]
    return turn["rating"]


def test_rating_is_stored_with_the_turn_changed_and_removed(api: ApiClient, http: TestClient, rating_url: str) -> None:
    assert stored_rating(api, rating_url) is None
    for rating in ("up", "down", None, None):
        assert http.put(rating_url, json={"rating": rating}).status_code == 204
        assert stored_rating(api, rating_url) == rating


def test_other_values_are_rejected(api: ApiClient, http: TestClient, rating_url: str) -> None:
    for body in ({"rating": "5"}, {}, {"rating": "up", "comment": "x"}):
        assert http.put(rating_url, json=body).status_code == 422
    assert stored_rating(api, rating_url) is None


def test_turn_that_does_not_exist_cannot_be_rated(http: TestClient, rating_url: str) -> None:
    session_url, _, rest = rating_url.partition("/turns/")
    turn_id = rest.partition("/")[0]
    missing = TurnId(turn_id[:-1] + ("1" if turn_id.endswith("0") else "0"))
    assert http.put(f"{session_url}/turns/{missing}/rating", json={"rating": "up"}).status_code == 404
