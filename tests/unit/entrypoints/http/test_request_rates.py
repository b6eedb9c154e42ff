import pytest

from satchel.domain.errors import TooManyRequests
from satchel.domain.ids import UserName
from satchel.entrypoints.http.request_rates import BURST_SECONDS, RequestRates

ALICE, BOB, CAROL = UserName("alice@example.com"), UserName("bob@example.com"), UserName("carol@example.com")
RATE = 10


class Time:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> int:
        return int(self.now * 1_000_000_000)


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def rates(time: Time) -> RequestRates:
    return RequestRates(RATE, time, max_users=2)


def count_accepted(rates: RequestRates, user: UserName, requests: int) -> int:
    accepted = 0
    for _ in range(requests):
        try:
            rates.count(user)
        except TooManyRequests:
            continue
        accepted += 1
    return accepted


def test_burst_of_five_seconds_is_accepted_and_the_next_request_is_not(rates: RequestRates) -> None:
    assert count_accepted(rates, ALICE, 1000) == RATE * BURST_SECONDS


def test_rate_is_kept_after_the_burst_although_refused_requests_continue(rates: RequestRates, time: Time) -> None:
    count_accepted(rates, ALICE, 1000)
    accepted = 0
    for _ in range(100):
        time.now += 0.0625
        accepted += count_accepted(rates, ALICE, 10)

    assert accepted == pytest.approx(100 * 0.0625 * RATE, abs=1)


def test_flood_of_one_user_leaves_the_bucket_of_another_full(rates: RequestRates) -> None:
    count_accepted(rates, ALICE, 1000)

    assert count_accepted(rates, BOB, 1000) == RATE * BURST_SECONDS


def test_request_is_accepted_after_the_seconds_that_the_error_names(rates: RequestRates, time: Time) -> None:
    count_accepted(rates, ALICE, 1000)
    with pytest.raises(TooManyRequests) as raised:
        rates.count(ALICE)

    assert raised.value.retry_after == 1
    time.now += raised.value.retry_after
    rates.count(ALICE)


def test_memory_holds_only_the_latest_users(rates: RequestRates) -> None:
    for user in (ALICE, BOB, ALICE, CAROL):
        count_accepted(rates, user, 50)

    assert count_accepted(rates, ALICE, 1) == 0
    assert count_accepted(rates, BOB, 1) == 1
