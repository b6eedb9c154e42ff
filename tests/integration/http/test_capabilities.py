"""A capability opens one version of one file; whatever is wrong with one, the answer and its cost are the same."""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from satchel.adapters.signing_keys import SigningKeys
from satchel.domain.ids import UserName
from satchel.domain.links import Claims
from tests.integration.aws.recorded import recorded
from tests.integration.http.capabilities import CASES, Scene
from tests.integration.http.desk import LINK_NOT_FOUND, Desk
from tests.integration.http.world import KEYS, World

LIFE = 300


@pytest.fixture
def scene(world: World, http: TestClient, desk: Desk, user: str) -> Scene:
    uploaded = desk.upload("a.csv", session_id=desk.session())
    file = world.files.get(UserName(user), uploaded["file_key"])
    assert file is not None
    claims = Claims(
        file_key=file.file_key,
        version=1,
        owner=user,
        session_id=file.session_id or "",
        epoch=1,
        audience="ui",
        exp=int(world.clock.now().timestamp()) + LIFE,
    )
    return Scene(world, http, file, claims)


@pytest.fixture
def keys(world: World) -> Iterator[SigningKeys]:
    yield world.keys
    world.keys = KEYS


def opens(anybody: TestClient, key: str, token: str, verb: str = "GET") -> bool:
    answer = anybody.request(verb, f"/api/files/download/{key}", params={"token": token})
    assert answer.status_code == 200 or verb == "HEAD" or answer.json() == LINK_NOT_FOUND
    return answer.status_code == 200


@pytest.mark.parametrize("verb", ["GET", "HEAD"])
def test_the_capability_of_these_tests_is_good(scene: Scene, anybody: TestClient, verb: str) -> None:
    assert opens(anybody, scene.file.file_key, scene.sign(), verb)
    assert opens(anybody, scene.file.file_key, scene.forge(), verb)


@pytest.mark.clause("v2:download:token")
def test_forty_bad_capabilities_get_one_answer_and_cost_one_request_each(scene: Scene, anybody: TestClient) -> None:
    world, answers, costs = scene.world, {}, {}
    assert len(CASES) == 40
    for name, case in CASES.items():
        key, token = case(scene)
        for verb in ("GET", "HEAD"):
            with recorded(world.table.client, world.store.client) as requests:
                answer = anybody.request(verb, f"/api/files/download/{key}", params={"token": token})
            answers[name, verb] = (answer.status_code, dict(answer.headers), verb == "HEAD" or answer.json())
            costs[name, verb] = [(name, _asked_for(params)) for name, params in requests]

    get, head = answers["not signed", "GET"], answers["not signed", "HEAD"]
    assert (get[0], get[2]) == (404, LINK_NOT_FOUND)
    assert {who: said for who, said in answers.items() if said != (get if who[1] == "GET" else head)} == {}
    assert {who: cost for who, cost in costs.items() if cost != [("BatchGetItem", 3)]} == {}


def _asked_for(params: dict[str, object]) -> int:
    """How many items a request reads."""
    tables = params["RequestItems"]
    assert isinstance(tables, dict)
    return sum(len(wanted["Keys"]) for wanted in tables.values())


def test_the_key_changes_and_links_live_out_their_time(scene: Scene, keys: SigningKeys, anybody: TestClient) -> None:
    key, old = scene.file.file_key, scene.sign()
    scene.world.keys = keys.rotated(("a" * 40, "b" * 40))
    new = scene.sign()

    assert opens(anybody, key, old)
    assert opens(anybody, key, new)
    scene.world.clock.advance(LIFE)
    assert not opens(anybody, key, old)


def test_a_key_that_changed_twice_opens_nothing_any_more(scene: Scene, keys: SigningKeys, anybody: TestClient) -> None:
    key, oldest = scene.file.file_key, scene.sign()
    scene.world.keys = keys.rotated(("a" * 40, "b" * 40))
    older = scene.sign()
    scene.world.keys = scene.world.keys.rotated(("c" * 40, "d" * 40))

    assert not opens(anybody, key, oldest)
    assert opens(anybody, key, older)
    assert opens(anybody, key, scene.sign())


def test_a_process_that_has_the_keys_of_before_opens_what_the_new_key_signed(
    scene: Scene, keys: SigningKeys, anybody: TestClient
) -> None:
    before = keys.rotated(("a" * 40, "b" * 40))
    scene.world.keys = before.rotated(("c" * 40, "d" * 40))
    new = scene.sign()

    scene.world.keys = before

    assert opens(anybody, scene.file.file_key, new)
