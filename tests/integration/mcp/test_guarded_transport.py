"""Addresses that an entry of mcp.json can reach, and the size limit of their answers."""

import ipaddress
import logging
import os
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import anyio
import httpx2
import pytest

from satchel.adapters.event_loop import EventLoop
from satchel.adapters.mcp.client import McpToolClient
from satchel.adapters.mcp.guarded_transport import GuardedTransport, PrivateAddressError, TooLongError, is_public
from satchel.contract.errors import ToolCrashed
from satchel.domain.servers import ServerEntry


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.215.14", True),
        ("2606:2800:21f:cb07:6820:80da:af6b:8b2c", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),  # noqa: S104  (an address that must be blocked)
        ("224.0.0.1", False),
        ("::1", False),
        ("::", False),
        ("fe80::1", False),
        ("fd00::1", False),
        ("::ffff:127.0.0.1", False),
        ("::ffff:93.184.215.14", True),
        ("64:ff9b::7f00:1", False),
        ("64:ff9b::5db8:d70e", True),
        ("2002:7f00:1::", False),
    ],
)
def test_is_public_also_judges_wrapped_ipv4_addresses(address: str, public: bool) -> None:  # noqa: FBT001
    assert is_public(ipaddress.ip_address(address)) is public


class RecordingTransport(httpx2.AsyncBaseTransport):
    """Answers every request with the same body in pieces, and records the requests."""

    def __init__(self, pieces: list[bytes], **headers: str) -> None:
        self.pieces = pieces
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}
        self.sent: list[httpx2.Request] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.sent.append(httpx2.Request(request.method, request.url, extensions=request.extensions))
        return httpx2.Response(200, headers=self.headers, stream=_Pieces(self.pieces))


class _Pieces(httpx2.AsyncByteStream):
    def __init__(self, pieces: list[bytes]) -> None:
        self._pieces = pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece


def get(url: str, inner: RecordingTransport, *, allow_private: bool = True, max_bytes: int = 10) -> bytes:
    async def ask() -> bytes:
        async with httpx2.AsyncClient(
            transport=GuardedTransport(max_bytes, allow_private=allow_private, inner=inner)
        ) as http:
            return (await http.get(url)).content

    return anyio.run(ask)


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "localhost", "0x7f000001", "2130706433"])
def test_no_request_is_sent_to_a_private_address(host: str) -> None:
    inner = RecordingTransport([])
    with pytest.raises(PrivateAddressError, match="is not a public address"):
        get(f"http://{host}/mcp", inner, allow_private=False)

    assert inner.sent == []


def test_public_host_is_connected_by_checked_address_with_its_name_for_tls(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def resolve(*_: object, **__: object) -> list[object]:
        return [(None, None, None, "", ("93.184.215.14", 0))]

    monkeypatch.setattr(anyio, "getaddrinfo", resolve)
    inner = RecordingTransport([b"hello"])

    assert get("https://tools.example/mcp", inner, allow_private=False) == b"hello"
    assert str(inner.sent[0].url) == "https://93.184.215.14/mcp"
    assert inner.sent[0].extensions["sni_hostname"] == "tools.example"


def test_host_with_one_private_address_is_blocked(monkeypatch: pytest.MonkeyPatch) -> None:
    async def resolve(*_: object, **__: object) -> list[object]:
        return [(None, None, None, "", (ip, 0)) for ip in ("93.184.215.14", "10.0.0.1")]

    monkeypatch.setattr(anyio, "getaddrinfo", resolve)
    with pytest.raises(PrivateAddressError):
        get("https://tools.example/mcp", RecordingTransport([]), allow_private=False)


def test_answer_over_the_size_limit_raises() -> None:
    assert get("http://a/", RecordingTransport([b"12345", b"67890"])) == b"1234567890"
    with pytest.raises(TooLongError):
        get("http://a/", RecordingTransport([b"12345", b"678901"]))


def test_compressed_answer_raises() -> None:
    with pytest.raises(httpx2.DecodingError):
        get("http://a/", RecordingTransport([b"x"], content_encoding="gzip"))


@pytest.mark.parametrize("blank", ["\n\n", "\r\n\r\n", "\r\r"])
def test_size_limit_of_an_event_stream_applies_to_each_event(blank: str) -> None:
    event = f"123456{blank}".encode()
    for size in (1, 3, len(event)):
        whole = event * 5
        pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
        assert get("http://a/", RecordingTransport(pieces, content_type="Text/Event-Stream; charset=utf-8")) == whole
    with pytest.raises(TooLongError):
        get("http://a/", RecordingTransport([event, b"12345678901"], content_type="text/event-stream"))


# Redirects


class _RedirectHandler(BaseHTTPRequestHandler):
    """Records the tokens of requests. Redirects to ``target``, or answers 404 without a target."""

    target: str | None = None
    tokens: list[str]

    def do_POST(self) -> None:
        self.tokens.append(self.headers.get("Authorization", "none"))
        self.send_response(307 if self.target else 404)
        if self.target:
            self.send_header("Location", self.target)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_POST  # noqa: N815  (a name of the library)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def http_server(target: str | None = None) -> Iterator[tuple[str, list[str]]]:
    tokens: list[str] = []
    handler = type("Handler", (_RedirectHandler,), {"target": target, "tokens": tokens})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/mcp", tokens
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("secret", [{"auth_token": "s3cret"}, {"headers": {"Authorization": "Bearer s3cret"}}])
@pytest.mark.parametrize("transport", ["http", "sse"])
def test_redirect_to_another_host_is_not_followed_and_gets_no_token(
    transport: str, secret: dict[str, object], loop: EventLoop, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with http_server() as (other_url, other_tokens), http_server(other_url) as (url, tokens):
        entry = ServerEntry.model_validate({"url": url, "transport": transport, "allow_private": True, **secret})
        client = McpToolClient("far", entry, loop, os.environ)
        with pytest.raises(ToolCrashed), client.call("t", {}, Path("/nowhere"), writes=True):
            pass
        client.close()

    assert (set(tokens), other_tokens) == ({"Bearer s3cret"}, [])
    assert "s3cret" not in caplog.text
