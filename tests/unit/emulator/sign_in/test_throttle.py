import pytest

from local.emulator.sign_in.throttle import ACCOUNT_RULE, ADDRESS_RULE, Throttle
from tests.fakes.system import FakeClock

DAY = 24 * 3600


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def throttle(clock: FakeClock) -> Throttle:
    return Throttle(clock.monotonic)


def waits(throttle: Throttle, clock: FakeClock, attempts: int, account: str = "ada", address: str = "::1") -> list[int]:
    """Fail this many times. Return the seconds that each attempt had to wait after the one before."""
    result = []
    for _ in range(attempts):
        seconds = throttle.begin(account, address)
        result.append(seconds)
        if seconds:
            clock.advance(seconds)
            assert throttle.begin(account, address) == 0
    return result


def test_wait_doubles_after_five_failures_up_to_a_minute(throttle: Throttle, clock: FakeClock) -> None:
    found = [waits(throttle, clock, 1, address=f"10.0.0.{number}")[0] for number in range(16)]

    assert found == [0, 0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60]


def test_wait_of_an_address_doubles_up_to_a_quarter_of_an_hour(throttle: Throttle, clock: FakeClock) -> None:
    found = [waits(throttle, clock, 1, account=f"user{number}")[0] for number in range(24)]

    assert found == [0] * 11 + [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]


def test_million_guesses_of_one_address_take_decades(throttle: Throttle, clock: FakeClock) -> None:
    assert sum(waits(throttle, clock, 200)) > 180 * 900  # more than 900 s a guess after the first
    assert 1_000_000 * ADDRESS_RULE.max_seconds / DAY / 365 > 20


def test_guesses_from_many_addresses_are_limited_for_each_account(throttle: Throttle, clock: FakeClock) -> None:
    guesses, end = 0, clock.monotonic() + DAY
    while clock.monotonic() < end:
        seconds = throttle.begin("ada", f"2001:db8:{guesses:x}::1")
        guesses += not seconds
        clock.advance(seconds or 0.001)

    assert guesses <= DAY / ACCOUNT_RULE.max_seconds + 20


def test_attempt_that_has_to_wait_is_not_counted(throttle: Throttle, clock: FakeClock) -> None:
    waits(throttle, clock, 8)
    first = throttle.begin("ada", "::1")

    assert {throttle.begin("ada", "::1") for _ in range(1000)} == {first}
    clock.advance(first)
    assert throttle.begin("ada", "::1") == 0


def test_other_account_from_another_address_does_not_wait(throttle: Throttle, clock: FakeClock) -> None:
    waits(throttle, clock, 30)

    assert throttle.begin("bob", "10.0.0.1") == 0
    assert throttle.begin("ada", "10.0.0.1") <= ACCOUNT_RULE.max_seconds


def test_attack_from_one_address_delays_the_owner_for_a_minute_at_most(throttle: Throttle, clock: FakeClock) -> None:
    """The address of the attacker waits longer than the account, so the owner gets a turn."""
    waits(throttle, clock, 30)
    clock.advance(ACCOUNT_RULE.max_seconds)

    assert throttle.begin("ada", "::1") > 0
    assert throttle.begin("ada", "10.0.0.1") == 0


def test_success_resets_the_account_but_not_the_address(throttle: Throttle, clock: FakeClock) -> None:
    """An attacker with an account of their own must not be able to guess faster by signing in between."""
    start = clock.monotonic()
    for number in range(20):
        waits(throttle, clock, 1, account=f"user{number}")
        waits(throttle, clock, 1, account="mallory")
        throttle.succeed("mallory", "::1")

    assert clock.monotonic() - start >= sum(2**number for number in range(10))  # as without the sign-ins
    assert throttle.begin("mallory", "10.0.0.1") == 0


def test_many_sign_ins_without_failures_never_wait(throttle: Throttle) -> None:
    for _ in range(100):
        assert throttle.begin("ada", "::1") == 0
        throttle.succeed("ada", "::1")


def test_failures_are_forgotten_after_a_day(throttle: Throttle, clock: FakeClock) -> None:
    waits(throttle, clock, 30)
    clock.advance(DAY)

    assert waits(throttle, clock, 6) == [0] * 6


def test_addresses_of_one_ipv6_network_count_together(throttle: Throttle, clock: FakeClock) -> None:
    for number in range(30):
        waits(throttle, clock, 1, account=f"user{number}", address=f"2001:db8::{number:x}")

    assert throttle.begin("new", "2001:db8::ffff:1") > 0
    assert throttle.begin("new", "2001:db8:0:1::1") == 0


def test_ipv4_addresses_count_alone_in_each_notation(throttle: Throttle, clock: FakeClock) -> None:
    for number in range(15):
        waits(throttle, clock, 1, account=f"user{number}", address="::ffff:10.0.0.1")

    assert throttle.begin("new", "10.0.0.1") > 0
    assert throttle.begin("new", "::ffff:10.0.0.2") == 0
    assert throttle.begin("newer", "") == 0


def test_attempts_at_the_same_time_cannot_all_be_the_first(throttle: Throttle) -> None:
    assert [throttle.begin("ada", f"10.0.0.{number}") > 0 for number in range(8)] == [False] * 6 + [True] * 2


def test_number_of_remembered_names_is_limited(throttle: Throttle, clock: FakeClock) -> None:
    for number in range(12_000):
        throttle.begin(f"user{number}", f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}")
        clock.advance(0.001)

    assert len(throttle) == 2 * 10_000
