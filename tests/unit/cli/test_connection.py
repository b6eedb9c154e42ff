"""The bearer token that the commands send."""

from pathlib import Path

import pytest

from local.cli.connection import find_token
from local.local_key import KeyFile, key_path, sign_in_path, write_private_file

LOCAL_URLS = ["http://127.0.0.1:8000", "http://localhost:8000/", "http://[::1]:8000", "http://LOCALHOST:8000"]
OTHER_URLS = ["https://satchel.example", "https://satchel.example:8000", "http://127.0.0.1.example:8000"]


@pytest.fixture(autouse=True)
def _environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("SATCHEL_TOKEN", "id-token")
    monkeypatch.delenv("SATCHEL_LOCAL_KEY", raising=False)


@pytest.mark.parametrize("url", LOCAL_URLS)
def test_server_on_this_machine_gets_the_key_of_its_port(url: str) -> None:
    with KeyFile(key_path(8000), "of-8000"), KeyFile(key_path(80), "of-80"):
        assert find_token(url) == "of-8000"
        assert find_token("http://localhost") == "of-80"


@pytest.mark.parametrize("url", OTHER_URLS)
def test_server_on_another_machine_never_gets_a_key(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_LOCAL_KEY", "of-the-variable")
    with KeyFile(key_path(8000), "of-8000"), KeyFile(key_path(443), "of-443"), KeyFile(key_path(80), "of-80"):
        assert find_token(url) == "id-token"


def test_local_address_without_a_key_gets_the_id_token() -> None:
    assert find_token("http://127.0.0.1:8000") == "id-token"


def test_server_gets_the_token_of_its_own_sign_in_only() -> None:
    write_private_file(sign_in_path("satchel.example", 443), "of-the-sign-in\n")

    assert find_token("https://satchel.example") == "of-the-sign-in"
    assert find_token("https://SATCHEL.example:443/") == "of-the-sign-in"
    for url in ("http://satchel.example", "https://satchel.example:8443", "https://other.example"):
        assert find_token(url) == "id-token"


def test_key_of_a_running_server_is_preferred_to_an_earlier_sign_in() -> None:
    write_private_file(sign_in_path("127.0.0.1", 8000), "of-the-sign-in\n")

    with KeyFile(key_path(8000), "of-8000"):
        assert find_token("http://127.0.0.1:8000") == "of-8000"
    assert find_token("http://127.0.0.1:8000") == "of-the-sign-in"


def test_invalid_url_has_no_token() -> None:
    assert find_token("http://127.0.0.1:port") is None
