"""HTTP transport for remote servers. It blocks connections to private addresses and limits the size of answers.

A host name may resolve to a different address each time (DNS rebinding). So for each request, this transport resolves
the name once, checks the addresses, and connects to a checked address.
"""

import ipaddress
import socket
from collections.abc import AsyncIterator
from typing import Any

import anyio
import httpx2

from satchel.adapters.tls import tls_context

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_LAST_IPV4 = 0xFFFFFFFF
_BLANK_LINES = (b"\n\n", b"\r\n\r\n", b"\r\r")
_OVERLAP = max(map(len, _BLANK_LINES)) - 1


class PrivateAddressError(httpx2.ConnectError):
    """The server's address is private, and the server's entry in mcp.json does not set ``allow_private``."""


class TooLongError(httpx2.StreamError):
    """An answer of a remote MCP server, or one event in an event stream, exceeds the size limit."""


class GuardedTransport(httpx2.AsyncBaseTransport):
    """HTTP transport that connects only to public addresses, or to all addresses if ``allow_private`` is True.

    It aborts an answer, or an event in an event stream, that is longer than ``max_bytes``. After a failure, the MCP SDK
    reports only that the connection was lost. So ``limit_exceeded`` and ``connect_error`` store the cause, and
    ``last_status`` is the HTTP status of the last answer to a message. ``refused_status`` is that of the last answer
    of 400 or more, also to the request that opens an event stream, unless a message was accepted after it.
    """

    def __init__(self, max_bytes: int, *, allow_private: bool, inner: httpx2.AsyncBaseTransport | None = None) -> None:
        self._max_bytes = max_bytes
        self._allow_private = allow_private
        self._inner = inner or httpx2.AsyncHTTPTransport(verify=tls_context())
        self.limit_exceeded = False
        self.connect_error: str | None = None
        self.last_status: int | None = None
        self.refused_status: int | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request and return the answer.

        Raise DecodingError if the answer is compressed, or TransportError if sending fails.
        """
        request.headers["Accept-Encoding"] = "identity"  # a small compressed body could expand to any size
        try:
            response = await self._send(request)
        except httpx2.TransportError as error:
            self.connect_error = str(error)
            raise
        if request.method == "POST":
            self.last_status = response.status_code
        if response.status_code >= httpx2.codes.BAD_REQUEST:
            self.refused_status = response.status_code
        elif request.method == "POST":
            self.refused_status = None
        if response.headers.get("Content-Encoding", "identity") != "identity":
            await response.aclose()
            raise httpx2.DecodingError(
                "the server compressed its answer, which the request does not allow", request=request
            )
        stream = response.stream
        if isinstance(stream, httpx2.AsyncByteStream):
            response.stream = _LimitedStream(stream, self, events=_is_event_stream(response))
        return response

    async def aclose(self) -> None:
        """Close all HTTP connections of this transport."""
        await self._inner.aclose()

    def check_size(self, pending: int) -> None:
        """Raise TooLongError and set ``limit_exceeded`` if an answer or event exceeds the size limit.

        ``pending`` is the number of bytes received of that answer or event.
        """
        if pending > self._max_bytes:
            self.limit_exceeded = True
            raise TooLongError(f"the answer is longer than {self._max_bytes} bytes")

    async def _send(self, request: httpx2.Request) -> httpx2.Response:
        if self._allow_private:
            return await self._inner.handle_async_request(request)
        host, url = request.url.host, request.url
        failure: httpx2.TransportError = httpx2.ConnectError(f"{host} has no address", request=request)
        for address in await _public_addresses(host, request):
            request.url = url.copy_with(host=str(address))
            request.extensions = {**request.extensions, "sni_hostname": host}
            try:
                return await self._inner.handle_async_request(request)
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                failure = error
            finally:
                request.url = url
        raise failure


class _LimitedStream(httpx2.AsyncByteStream):
    """Response body with a size limit. In an event stream, the limit applies to each event, not to the whole body."""

    def __init__(self, inner: httpx2.AsyncByteStream, transport: GuardedTransport, *, events: bool) -> None:
        self._inner = inner
        self._transport = transport
        self._events = events

    async def __aiter__(self) -> AsyncIterator[bytes]:
        pending, last = 0, b""
        async for chunk in self._inner:
            pending += len(chunk)
            if self._events:
                seen = last + chunk
                ends = [index + len(blank) for blank in _BLANK_LINES if (index := seen.rfind(blank)) >= 0]
                pending = len(seen) - max(ends) if ends else pending
                last = seen[-_OVERLAP:]
            self._transport.check_size(pending)
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


async def _public_addresses(host: str, request: httpx2.Request) -> list[IpAddress]:
    """Return the addresses of a host name. Raise PrivateAddressError if any of them is not public."""
    try:
        resolved: list[Any] = await anyio.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError as error:
        raise httpx2.ConnectError(f"{host} cannot be resolved: {error}", request=request) from error
    addresses = [ipaddress.ip_address(entry[4][0].partition("%")[0]) for entry in resolved]
    if not all(is_public(address) for address in addresses):
        hint = "set allow_private in its entry of mcp.json to allow it"
        raise PrivateAddressError(f"{host} is not a public address: {hint}", request=request)
    return addresses


def is_public(address: IpAddress) -> bool:
    """Return True if an address is public. If an IPv6 address embeds an IPv4 address, check the IPv4 address."""
    if isinstance(address, ipaddress.IPv6Address):
        wrapped = address.ipv4_mapped or address.sixtofour
        if address in _NAT64:
            wrapped = ipaddress.IPv4Address(int(address) & _LAST_IPV4)
        if wrapped is not None:
            return is_public(wrapped)
    return address.is_global and not address.is_multicast


def _is_event_stream(response: httpx2.Response) -> bool:
    kind: str = response.headers.get("Content-Type", "")
    return kind.partition(";")[0].strip().lower() == "text/event-stream"
