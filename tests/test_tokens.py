"""Search for tokens in logs."""

import logging

import pytest

from satchel.adapters.jwt_signer import JwtSigner
from satchel.adapters.signing_keys import SigningKeys
from satchel.adapters.system_clock import SystemClock
from satchel.domain.links import Claims, EraseClaims
from tests.tokens import TokenWatch, lines_with_tokens

SIGNER = JwtSigner(lambda: SigningKeys(newest="k1", keys={"k1": "n" * 64}), SystemClock())
FILE, OWNER = "f01kabcdefghjkmnpqrstvwxyz0", "a"
TOKENS = [
    SIGNER.sign(Claims(file_key=FILE, version=1, owner=OWNER, session_id="", epoch=0, audience="ui", exp=1)),
    SIGNER.sign(EraseClaims(owner=OWNER, exp=1)),
]


@pytest.mark.parametrize("token", [*TOKENS, "X-Amz-Signature=" + "0f" * 32, "/ws?ticket=" + "A-_z" * 10])
def test_line_with_a_token_is_found_and_redacted(token: str) -> None:
    [redacted] = lines_with_tokens(f"all is well\nfetched /api/files/download/{FILE}?token={token} at noon\nbye")

    assert redacted.startswith("fetched /api/files/download/")
    assert redacted.endswith("… at noon")
    assert token not in redacted


@pytest.mark.parametrize("text", ["", "all is well", f"GET /api/files/{FILE}", "token=…", "eyJ.eyJ.x", "0f" * 32])
def test_line_without_a_token_is_not_found(text: str) -> None:
    assert lines_with_tokens(text) == []


@pytest.mark.parametrize(
    "log",
    [
        lambda logger, token: logger.info("fetched %s", token),
        lambda logger, token: logger.info("fetched", extra={"url": f"?token={token}"}),
        lambda logger, token: logger.error("failed", exc_info=ValueError(f"no such {token}")),
    ],
    ids=["message", "extra", "exception"],
)
def test_token_is_found_in_any_part_of_a_log_record(log: object) -> None:
    watch, logger = TokenWatch(), logging.getLogger("elsewhere.than.satchel")
    logger.propagate, logger.level = False, logging.INFO
    logger.addHandler(watch)
    assert callable(log)

    log(logger, TOKENS[0])

    assert len(watch.found) == 1
    assert TOKENS[0] not in watch.found[0]
