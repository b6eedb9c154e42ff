"""Origins, ids and acceptance of dashboards."""

import pytest

from satchel.contract import Canvas
from satchel.domain.canvas import is_canvas_id, origin_of, parse_origin, rejection_reason, to_response_canvas
from satchel.domain.responses import ResponseCanvas

ORIGINS = ("https://dash.example", "http://localhost:9000", "https://[::1]:8443")
NOT_LISTED = "The origin {} is not on this deployment's list of origins for dashboards."
NO_WEB_URL = "The url of the canvas is not a web URL."
BAD_ID = "The id of the canvas must have 1 to 128 characters, without slashes, % and control characters."
BAD_URL = "The url of the canvas has over 2000 characters, or contains base64 or a link to a file."


def canvas(**fields: object) -> Canvas:
    return Canvas.model_validate({"id": "monitor-42", "url": "https://dash.example/view?session=abc", **fields})


# Origins


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://dash.example", "https://dash.example"),
        ("https://dash.example/", "https://dash.example"),
        ("https://dash.example?a=b", "https://dash.example"),
        ("https://dash.example#part", "https://dash.example"),
        ("HTTPS://Dash.Example/View", "https://dash.example"),
        ("https://dash.example:443/view", "https://dash.example"),
        ("https://dash.example:0443/view", "https://dash.example"),
        ("http://dash.example:80", "http://dash.example"),
        ("https://dash.example:80", "https://dash.example:80"),
        ("http://localhost:9000/view", "http://localhost:9000"),
        ("https://[::1]:8443/view", "https://[::1]:8443"),
        ("https://dash.example/a\\b@c", "https://dash.example"),
    ],
)
def test_origin_is_normalized_scheme_host_and_port(url: str, origin: str) -> None:
    assert origin_of(url) == origin


@pytest.mark.parametrize(
    "url",
    [
        "",
        "dash.example",
        "//dash.example",
        "https:dash.example",
        "https:/dash.example",
        "https:///dash.example",
        "https://",
        "https://:443",
        "javascript:alert(1)//https://dash.example",
        "data:text/html,<p>",
        "ftp://dash.example",
        "file:///etc/passwd",
        " https://dash.example",
        "\thttps://dash.example",
        "https://dash.example\n",
        "https://dash.example\t.evil.example",
        "https://dash.example@evil.example",
        "https://user:word@dash.example",
        "https://dash.example\\@evil.example",
        "https://dash.example\\.evil.example",
        "https://dash.example%2eevil.example",
        "https://dash.example:port",
        "https://dash.example:65536",
        "https://dash.example:\N{ARABIC-INDIC DIGIT FOUR}",
        "https://d\N{LATIN SMALL LETTER A WITH DIAERESIS}sh.example",
        "https://dash\N{IDEOGRAPHIC FULL STOP}example",
        "https://\N{KELVIN SIGN}.example",
        "https://" + "a" * 254,
    ],
)
def test_url_that_browsers_may_parse_differently_has_no_origin(url: str) -> None:
    assert origin_of(url) is None


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("https://dash.example", "https://dash.example"),
        ("https://Dash.Example:443/", "https://dash.example"),
        ("http://localhost:9000", "http://localhost:9000"),
    ],
)
def test_configured_origin_is_normalized(text: str, origin: str) -> None:
    assert parse_origin(text) == origin


@pytest.mark.parametrize(
    "text",
    [
        "*",
        "dash.example",
        "https://*.dash.example",
        "https://dash.example/view",
        "https://dash.example?x",
        "'self'",
        "",
    ],
)
def test_invalid_configured_origin_is_named_in_the_error(text: str) -> None:
    with pytest.raises(ValueError, match="is not an origin: use https://host") as raised:
        parse_origin(text)
    assert repr(text) in str(raised.value)


# Ids


@pytest.mark.parametrize("text", ["monitor-42", "a b", "größe", "a#b?c=d", "...", ".a", "x" * 128, "\N{ROCKET}"])
def test_most_texts_are_valid_ids(text: str) -> None:
    assert is_canvas_id(text)


@pytest.mark.parametrize(
    "text", ["", ".", "..", "a/b", "a%2fb", "a\\b", "a\nb", "\x00", "a\x7f", "a\x85", "\ud800", "x" * 129, "a\n"]
)
def test_text_that_is_unsafe_in_a_path_is_no_id(text: str) -> None:
    assert not is_canvas_id(text)


# Acceptance


@pytest.mark.clause("v2:canvas:origins")
@pytest.mark.parametrize(
    "url", ["https://dash.example/view", "https://DASH.example:443", "http://localhost:9000/", "https://[::1]:8443/#a"]
)
def test_frame_of_a_listed_origin_is_accepted(url: str) -> None:
    assert rejection_reason(canvas(url=url), ORIGINS) is None


@pytest.mark.clause("v2:canvas:origins")
@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"url": "https://evil.example/view"}, NOT_LISTED.format("https://evil.example")),
        ({"url": "http://dash.example/view"}, NOT_LISTED.format("http://dash.example")),
        ({"url": "https://dash.example:8443"}, NOT_LISTED.format("https://dash.example:8443")),
        ({"url": "https://dash.example.evil.example"}, NOT_LISTED.format("https://dash.example.evil.example")),
        ({"url": "https://a.dash.example"}, NOT_LISTED.format("https://a.dash.example")),
        ({"url": "javascript:alert(1)"}, NO_WEB_URL),
        ({"url": "/view"}, NO_WEB_URL),
        ({"url": None}, "The canvas has no url."),
        ({"url": ""}, "The canvas has no url."),
        ({"id": None}, "The canvas has no id."),
        ({"id": ""}, "The canvas has no id."),
        ({"id": "a/b"}, BAD_ID),
        ({"id": ".."}, BAD_ID),
        ({"id": "x" * 129}, BAD_ID),
        ({"type": "html"}, "A canvas of type 'html' cannot be shown; 'iframe' can."),
        ({"url": "https://dash.example/" + "x/" * 1000}, BAD_URL),
        ({"url": "https://dash.example/api/files/download/f1?token=abc"}, BAD_URL),
        ({"url": "https://dash.example/?X-Amz-Signature=abc"}, BAD_URL),
        ({"url": "https://dash.example/?data=" + "QUJD" * 400}, BAD_URL),
    ],
)
def test_other_canvases_are_rejected_with_a_reason(fields: dict[str, object], reason: str) -> None:
    assert rejection_reason(canvas(**fields), ORIGINS) == reason


def test_without_listed_origins_all_canvases_are_rejected() -> None:
    assert rejection_reason(canvas(), ()) == NOT_LISTED.format("https://dash.example")


def test_rejection_reason_is_short_for_long_values() -> None:
    long = "a" * 253
    for fields in ({"type": "t" * 10_000}, {"url": f"https://{long}/" + "b" * 10_000}, {"id": "i" * 10_000}):
        assert len(rejection_reason(canvas(**fields), ORIGINS) or "") < 400


# Stored form


@pytest.mark.clause("v2:canvas:envelope")
def test_all_fields_of_the_tool_are_stored() -> None:
    fields = {
        "open": False,
        "id": "my-dashboard-123",
        "persistence": "pinned",
        "type": "iframe",
        "url": "https://dash.example/view",
        "title": "My Metrics",
        "mode": "split",
    }
    assert to_response_canvas(Canvas.model_validate(fields)) == ResponseCanvas.model_validate(fields)


@pytest.mark.clause("v2:canvas:optional")
def test_missing_fields_get_the_specified_defaults() -> None:
    assert to_response_canvas(canvas()) == ResponseCanvas(
        open=True,
        id="monitor-42",
        persistence="session",
        type="iframe",
        url="https://dash.example/view?session=abc",
    )


@pytest.mark.parametrize("token", ["<capability-token>", "", "s3cret"])
def test_token_field_requests_a_token_and_is_not_part_of_the_canvas(token: str) -> None:
    stored = to_response_canvas(canvas(token=token))
    assert (stored.wants_token, stored.token) == (True, None)


def test_token_over_the_limit_is_a_reason_for_rejection() -> None:
    assert rejection_reason(canvas(token="x" * 8192), ORIGINS) is None
    assert rejection_reason(canvas(token="x" * 8193), ORIGINS) == "The token of the canvas has over 8192 characters."


def test_null_token_requests_no_token() -> None:
    assert not to_response_canvas(canvas(token=None)).wants_token


def test_title_contains_no_embedded_files_and_is_truncated() -> None:
    assert (
        to_response_canvas(canvas(title="data:text/plain,x")).title == "[data URL omitted: text/plain, 17 characters]"
    )
    assert len(to_response_canvas(canvas(title="é" * 5000)).title or "") == 2000
