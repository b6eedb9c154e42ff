"""Links and tokens are removed from every text, also if they are not in a URL."""

import time

import pytest

from satchel.contract import has_file_link, normalize, scrub, scrub_output

JWT = "eyJhbGciOiJIUzI1NiIsImtpZCI6ImsxIn0.eyJzdWIiOiJhbGljZSIsImZpbCI6ImYxIn0.c2lnbmF0dXJlLWJ5dGVz-_x"
JWE = f"eyJhbGciOiJkaXIifQ..aXY.{'c' * 16}.{'t' * 16}"  # the shortest ciphertext and tag that count
SIGNED = "https://bucket.example/key.csv?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=0123abcd"


@pytest.mark.clause("v2.1:output:no-tokens")
@pytest.mark.parametrize(
    ("text", "scrubbed"),
    [
        (f"got https://a.example/api/files/download/f1?token={JWT}&name=/a.csv now", "got [file link omitted] now"),
        (f"f1?token={JWT}", "f1?token=[redacted]"),
        (f"f1_{JWT}.csv", "f1_[redacted].csv"),
        (f"report.{JWT}.txt", "report.[redacted].txt"),
        (f"{JWT}.tar.gz", "[redacted].tar.gz"),
        (f"{JWT}.v2.{'x' * 16}.gz", f"[redacted].v2.{'x' * 16}.gz"),
        (JWE, "[redacted]"),
        (f"{JWE}.a", "[redacted].a"),
        (JWE.replace("c" * 16, "c" * 15), f"[redacted].{'c' * 15}.{'t' * 16}"),
        (f"a.{JWT}.b.{JWT}.c", "a.[redacted].b.[redacted].c"),
        (f"open /api/files/download/f1?token={JWT} now", "open [file link omitted] now"),
        (f"{JWT}, then {JWT}", "[redacted], then [redacted]"),
        (f"token%3D{JWT}", "token%3D[redacted]"),
        (f"https:\\/\\/a.example\\/api?t={JWT}", "https:\\/\\/a.example\\/api?t=[redacted]"),
        (f"Authorization: Bearer {JWT}", "Authorization: Bearer [redacted]"),
        ("Authorization: bearer 0123456789abcdef-XYZ", "Authorization: bearer [redacted]"),
        (f"see {SIGNED}", "see [file link omitted]"),
        ("key.csv?X-Amz-Signature=0123abcd&x=1", "key.csv?X-Amz-Signature=[redacted]&x=1"),
        ("id AKIAIOSFODNN7EXAMPLE", "id [redacted]"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nend", "[redacted]\nend"),
    ],
)
def test_links_and_tokens_are_replaced_wherever_they_are(text: str, scrubbed: str) -> None:
    assert scrub({text: [text]}) == {scrubbed: [scrubbed]}
    assert scrub(scrubbed) == scrubbed


@pytest.mark.parametrize(
    "text",
    [
        "https://a.example/page?key=value&sig=short",
        "The bearer of this letter is 42 years old",
        "eyJ2ZWN0b3JzIjpbMC4xMjMsMC4zNDUuLi5dfQ==",
        "eyJhbGciOiJIUzI1NiJ9.csv",
        "tokens: 15, signature: none, password rules",
        "ask-me-about-the-very-long-name-of-this-thing",
    ],
)
def test_other_texts_are_unchanged(text: str) -> None:
    assert scrub(text) == text


@pytest.mark.parametrize("text", [f"see {SIGNED}", "see /api/files/download/f1", f"https://a.example and {SIGNED}"])
def test_text_with_a_link_to_a_file_has_one(text: str) -> None:
    assert has_file_link(text)


@pytest.mark.parametrize("text", ["", "https://a.example/page?key=value", f"token {JWT}"])
def test_text_without_a_link_to_a_file_has_none(text: str) -> None:
    assert not has_file_link(text)


def test_shortest_token_is_redacted() -> None:
    assert scrub("eyJabcdefgh..") == "[redacted]"


@pytest.mark.parametrize("piece", ["-eyJ", "_eyJabcdefgh", "eyJabcdefgh.", "a.", "bearer ", "sk-", "https://a?sig="])
def test_scrubbing_takes_time_in_proportion_to_the_length_of_the_text(piece: str) -> None:
    short, long = (_steps(piece * (size // len(piece))) for size in (50_000, 400_000))
    assert long < 8 * 4 * short + 0.5


def test_scrubbing_many_dots_after_a_token_takes_time_in_proportion_to_their_number() -> None:
    short, long = (_steps("eyJabcdefgh" + "." * size) for size in (50_000, 400_000))
    assert long < 8 * 4 * short + 0.5


def _steps(text: str) -> float:
    started = time.process_time()
    scrub(text)
    return time.process_time() - started


@pytest.mark.clause("v2.1:output:no-tokens")
def test_all_texts_of_an_output_are_scrubbed_but_paths_and_bytes_are_kept() -> None:
    name = f"f1?token={JWT}"
    raw = {
        "results": {"url": SIGNED},
        "meta_data": {"header": f"Bearer {JWT}"},
        "artifacts": [
            {"name": name, "path": f"/tmp/alice/{name}"},
            {"type": "text/plain", "title": name, "content": JWT, "metadata": {JWT: 1}},
            {"name": "a.txt", "b64": "QUJD", "description": SIGNED},
        ],
        "deferred_artifacts": [{"name": name, "path": name, "next_actions": [JWT], "reason": JWT}],
        "display": {"primary_file": name, "notification": f"Saved {name}"},
    }
    output = scrub_output(normalize(raw))
    assert [item.path for item in output.artifacts] == [f"/tmp/alice/{name}", None, None]
    assert [item.path for item in output.deferred_artifacts] == [name]
    paths = {"artifacts": {"__all__": {"path"}}, "deferred_artifacts": {"__all__": {"path"}}}
    assert "eyJ" not in output.model_dump_json(exclude=paths)
    assert "Amz" not in output.model_dump_json()
    assert output.artifacts[0].name == output.display.primary_file == "f1?token=[redacted]"  # type: ignore[union-attr]
    assert output.artifacts[2].b64 == "QUJD"
