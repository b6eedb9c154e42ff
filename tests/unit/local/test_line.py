import pytest

from local.runners.context import InvocationError
from local.runners.line import GoneError, Key, Line, Unattended, Waiting
from tests.fakes.attendant import Attendant

ALICE, BOB, CAROL = ("report", "alice"), ("report", "bob"), ("report", "carol")


def waiting(key: Key = ALICE, attendant: Attendant | None = None, seconds: float = 60) -> Waiting:
    return Waiting(key, attendant or Unattended(), seconds)


def test_who_comes_later_stands_behind_the_environments_of_others() -> None:
    line, alice, bob, more = Line(), waiting(ALICE), waiting(BOB), waiting(ALICE)
    for each in (alice, bob, more):
        line.join(each)
    assert [line.ahead_of(ALICE, alice), line.ahead_of(BOB, bob), line.ahead_of(ALICE, more)] == [0, 1, 1]
    assert line.ahead_of(CAROL, None) == 2


def test_who_leaves_lets_the_others_move_up() -> None:
    line, alice, bob = Line(), waiting(ALICE), waiting(BOB)
    line.join(alice)
    line.join(bob)
    line.leave(alice)
    assert line.ahead_of(BOB, bob) == 0


def test_the_invocations_of_one_tenant_want_one_environment_and_none_where_it_is_there() -> None:
    line = Line()
    for key in (ALICE, ALICE, BOB):
        line.join(waiting(key))
    assert (line.wanted([]), line.wanted([ALICE, CAROL]), line.wanted([ALICE, BOB])) == (2, 1, 0)


def test_who_is_not_wanted_any_more_is_let_go_without_a_refusal() -> None:
    attendant = Attendant(wanted=False)
    with pytest.raises(GoneError):
        waiting(attendant=attendant, seconds=-1).look("full")
    assert attendant.reasons == []


def test_who_waited_too_long_is_refused_with_the_reason() -> None:
    attendant = Attendant()
    with pytest.raises(InvocationError, match="full") as raised:
        waiting(attendant=attendant, seconds=-1).look("full")
    assert (raised.value.error_type, attendant.reasons) == ("TooManyRequestsException", ["full"])


def test_an_attendant_is_asked_at_once_and_not_again_for_some_seconds() -> None:
    attendant = Attendant()
    one = waiting(attendant=attendant)
    assert one.seconds_left == 0
    for _ in range(3):
        one.look("full")
    assert (attendant.asked, attendant.reasons) == (1, [])
    assert one.seconds_left > 1
