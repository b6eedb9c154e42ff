import time

import pytest
from argon2 import PasswordHasher

from local.emulator.sign_in.passwords import MAX_CHARS, InvalidPassword, Passwords
from tests.fakes.accounts import FAST, PASSWORD
from tests.priority import prioritized


def test_only_the_same_password_is_accepted() -> None:
    passwords = Passwords(FAST)
    stored = passwords.hash(PASSWORD)

    assert passwords.verify(stored, PASSWORD)
    assert not any(passwords.verify(stored, wrong) for wrong in ("", PASSWORD[:-1], PASSWORD.upper(), f"{PASSWORD}\0"))


def test_hashes_are_argon2id_with_the_parameters_of_rfc_9106_and_a_random_salt() -> None:
    first, second = (Passwords().hash(PASSWORD) for _ in range(2))

    assert first.startswith("$argon2id$v=19$m=65536,t=3,p=4$")
    assert first != second


def test_two_forms_of_the_same_letter_are_the_same_password() -> None:
    passwords = Passwords(FAST)

    assert passwords.verify(passwords.hash("Gr\u00fc\u00dfe aus Wien"), "Gru\u0308\u00dfe aus Wien")


@pytest.mark.parametrize("password", ["", "x" * 11, "x" * (MAX_CHARS + 1)])
def test_short_or_endless_password_is_refused(password: str) -> None:
    with pytest.raises(InvalidPassword, match="a password has 12 to 1000 characters"):
        Passwords(FAST).hash(password)


def test_unknown_account_never_matches() -> None:
    assert not Passwords(FAST).verify(None, PASSWORD)


def test_unknown_account_takes_the_time_of_a_known_one() -> None:
    passwords = Passwords(PasswordHasher(time_cost=2, memory_cost=16 << 10, parallelism=1))
    stored = passwords.hash(PASSWORD)

    def cpu_seconds(value: str | None) -> float:
        start = time.thread_time()
        passwords.verify(value, "another password")
        return time.thread_time() - start

    with prioritized():
        pairs = [(cpu_seconds(stored), cpu_seconds(None)) for _ in range(5)]
    known, unknown = (min(times) for times in zip(*pairs, strict=True))
    assert 0.5 < unknown / known < 2
