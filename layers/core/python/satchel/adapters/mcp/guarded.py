"""HTTP to servers that somebody configured: no address that was not meant, and no answer without an end.

A name may lead anywhere, and elsewhere the next time it is looked up. So it is looked up here, what it led to is
judged, and the connection is made to just that address.
"""

import ipaddress
import socket
from collections.abc import AsyncIterator
from typing import Any

import anyio
import httpx2

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")
_LAST_IPV4 = 0xFFFFFFFF
_BLANK_LINES = (b"\n\n", b"\r\n\r\n", b"\r\r")
_OVERLAP = max(map(len, _BLANK_LINES)) - 1


class PrivateAddressError(httpx2.ConnectError):
    """The address is not public, and the entry does not allow that."""


class TooLongError(httpx2.StreamError):
    """An answer has more bytes than may be taken."""


class GuardedTransport(httpx2.AsyncBaseTransport):
    """Connects to public addresses, to others if ``allow_private``; ends answers and events of over ``most`` bytes.

    ``too_long`` tells that it has ended one, ``trouble`` why a connection could not be made: of both, who used it may
    hear no more than that the connection is gone.
    """

    def __init__(self, most: int, *, allow_private: bool, inner: httpx2.AsyncBaseTransport | None = None) -> None:
        self._most = most
        self._allow_private = allow_private
        self._inner = inner or httpx2.AsyncHTTPTransport()
        self.too_long = False
        self.trouble: str | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request. Raises PrivateAddressError, and whatever connecting raises."""
        request.headers["Accept-Encoding"] = "identity"  # what is small on the way may be without end when unpacked
        try:
            response = await self._send(request)
        except httpx2.TransportError as error:
            self.trouble = str(error)
            raise
        if response.headers.get("Content-Encoding", "identity") != "identity":
            await response.aclose()
            raise httpx2.DecodingError("the server packs its answers though it was asked not to", request=request)
        stream = response.stream
        if isinstance(stream, httpx2.AsyncByteStream):
            response.stream = _Counted(stream, self, events=_is_event_stream(response))
        return response

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()

    def check(self, pending: int) -> None:
        """Raise TooLongError where so many bytes are too many."""
        if pending > self._most:
            self.too_long = True
            raise TooLongError(f"the answer is longer than {self._most} bytes")

    async def _send(self, request: httpx2.Request) -> httpx2.Response:
        if self._allow_private:
            return await self._inner.handle_async_request(request)
        host, url = request.url.host, request.url
        refused: httpx2.TransportError = httpx2.ConnectError(f"{host} has no address", request=request)
        for address in await _public_addresses(host, request):
            request.url = url.copy_with(host=str(address))
            request.extensions = {**request.extensions, "sni_hostname": host}
            try:
                return await self._inner.handle_async_request(request)
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                refused = error
            finally:
                request.url = url
        raise refused


class _Counted(httpx2.AsyncByteStream):
    """A body whose bytes are counted: all of them, or in a stream of events those since the last event's end."""

    def __init__(self, inner: httpx2.AsyncByteStream, guard: GuardedTransport, *, events: bool) -> None:
        self._inner = inner
        self._guard = guard
        self._events = events

    async def __aiter__(self) -> AsyncIterator[bytes]:
        pending, last = 0, b""
        async for chunk in self._inner:
            pending += len(chunk)
            if self._events:
                seen = last + chunk
                ends = [at + len(blank) for blank in _BLANK_LINES if (at := seen.rfind(blank)) >= 0]
                pending = len(seen) - max(ends) if ends else pending
                last = seen[-_OVERLAP:]
            self._guard.check(pending)
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


async def _public_addresses(host: str, request: httpx2.Request) -> list[IpAddress]:
    """Look a host up. Raises PrivateAddressError if any of its addresses is not public."""
    try:
        found: list[Any] = await anyio.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError as error:
        raise httpx2.ConnectError(f"{host} cannot be found: {error}", request=request) from error
    addresses = [ipaddress.ip_address(entry[4][0].partition("%")[0]) for entry in found]
    if not all(is_public(address) for address in addresses):
        allow = "an entry of mcp.json has to allow it (allow_private)"
        raise PrivateAddressError(f"{host} is not a public address: {allow}", request=request)
    return addresses


def is_public(address: IpAddress) -> bool:
    """Tell whether an address is one of the Internet, also one that wraps an address of version 4."""
    if isinstance(address, ipaddress.IPv6Address):
        wrapped = address.ipv4_mapped or address.sixtofour
        if address in _TRANSLATED:
            wrapped = ipaddress.IPv4Address(int(address) & _LAST_IPV4)
        if wrapped is not None:
            return is_public(wrapped)
    return address.is_global and not address.is_multicast


def _is_event_stream(response: httpx2.Response) -> bool:
    kind: str = response.headers.get("Content-Type", "")
    return kind.partition(";")[0].strip().lower() == "text/event-stream"
