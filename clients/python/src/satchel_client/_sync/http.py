"""Send requests to one server: with the caller's identity, retried, and with errors of `satchel_client.errors`."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from http.cookies import SimpleCookie
from typing import Any, TypeVar
from uuid import uuid4

import httpx2
from pydantic import BaseModel, ValidationError

from satchel_client._protocol import (
    MAX_RETRY_AFTER_SECONDS,
    api_error,
    api_path,
    http_options,
    identity_headers,
    present,
)
from satchel_client._sync.runtime import Pause, Request, Result, Token, resolve_token
from satchel_client.errors import ConnectionLost, SatchelError, UnexpectedResponse, Unreachable

ModelT = TypeVar("ModelT", bound=BaseModel)
_CLIENT = (b"X-Satchel-Client", b"python")  # a server with passwords refuses to sign in clients without it


class Http:
    """Requests to one server.

    The caller's identity goes to the API only, never along with a download or an upload of parts: a link needs no
    identity, and may lead to another host, which must not receive the token.
    """

    def __init__(
        self,
        url: str,
        token: Token,
        user: str | None,
        transport: httpx2.BaseTransport | None,
        retry_delays: Sequence[float],
        pause: Pause,
    ) -> None:
        """Prepare the connection. Raise InvalidUrl if ``url`` is not an http or https URL."""
        self.base = url.rstrip("/")
        self.retry_delays, self.pause = retry_delays, pause
        self._token, self._user = token, user
        self._was_reached = False
        self._client = httpx2.Client(transport=transport, **http_options(url))

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def request(self, model: type[ModelT], method: str, path: str, **options: Any) -> ModelT:  # noqa: ANN401  (keyword arguments of httpx2)
        """Send a request to the API and return its response as a model. Raise SatchelError if the request fails."""
        response = self.send(method, path, **options)
        try:
            return model.model_validate_json(response.content)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            if first["type"] == "json_invalid":
                raise UnexpectedResponse(f"The server at {self.base} is not a Satchel server.") from error
            place = ".".join(map(str, first["loc"]))
            raise UnexpectedResponse(f"The response of {method} {path} is invalid: {place}: {first['msg']}.") from error

    def pages(self, model: type[ModelT], path: str, **params: object) -> Iterator[ModelT]:
        """Yield all pages of a list."""
        cursor: str | None = None
        while True:
            query = present(**params, cursor=cursor)
            page = self.request(model, "GET", path, params=query)
            yield page
            cursor = getattr(page, "cursor", None)
            if not cursor:
                return

    def send(
        self,
        method: str,
        path: str,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
        **options: Any,  # noqa: ANN401  (keyword arguments of httpx2)
    ) -> httpx2.Response:
        """Send a request to the API and return its response. Retry it if that may help.

        Every POST has an ``Idempotency-Key``, so that a retry after a lost response creates nothing twice. The
        operations that ignore the key are harmless to repeat.
        """
        key = idempotency_key or (uuid4().hex if method == "POST" else None)
        named = {**(headers or {}), **({"Idempotency-Key": key} if key else {})}
        own = [(name.encode(), value.encode()) for name, value in named.items()]
        return self.retry(partial(self._send_once, method, path, own, options))

    def retry(self, request: Request[Result]) -> Result:
        """Return the result of a request, which is repeated after each error for which that may help."""
        for delay in self.retry_delays:
            try:
                return request()
            except SatchelError as error:
                self.pause_before_retry(error, delay)
        return request()

    def pause_before_retry(self, error: SatchelError, delay: float | None) -> None:
        """Wait ``delay`` seconds, or as long as the server wants. Raise the error if a retry is of no use."""
        seconds = error.retry_after if error.retry_after is not None else delay
        is_wrong_address = isinstance(error, Unreachable) and not self._was_reached
        if not error.retryable or delay is None or is_wrong_address or (seconds or 0) > MAX_RETRY_AFTER_SECONDS:
            raise error
        self.pause(max(delay, error.retry_after or 0))

    def _send_once(
        self, method: str, path: str, headers: Sequence[tuple[bytes, bytes]], options: Mapping[str, Any]
    ) -> httpx2.Response:
        token = resolve_token(self._token)
        identity, url = identity_headers(token, self._user), self.base + api_path(path, token)
        with self._translated_errors():
            response = self._client.request(method, url, headers=[*identity, *headers], **options)
        self._was_reached = True
        if response.status_code >= HTTPStatus.BAD_REQUEST:
            raise api_error(response)
        return response

    @contextmanager
    def open(self, url: str, method: str = "GET", **headers: str) -> Iterator[httpx2.Response]:
        """Request a link once and yield the response with its body unread. Raise ApiError if the status is an error."""
        full_url = self.base + url if url.startswith("/") else url
        with self._translated_errors():
            with self._client.stream(method, full_url, headers=headers, follow_redirects=True) as response:
                if response.status_code >= HTTPStatus.BAD_REQUEST:
                    response.read()
                    raise api_error(response)
                yield response

    def put(self, url: str, content: Iterator[bytes], headers: Mapping[str, str]) -> None:
        """Send bytes once to a presigned URL, which may be on another host. Raise ApiError if the host refuses them."""
        with self._translated_errors():
            response = self._client.put(url, content=content, headers=dict(headers))
        if response.status_code >= HTTPStatus.BAD_REQUEST:
            raise api_error(response)

    def sign_in(self, user: str, password: str) -> str:
        """Sign in at a server with passwords, and return the bearer token."""
        with self._translated_errors():
            response = self._client.post(
                f"{self.base}/auth/sign-in", headers=[_CLIENT], json={"user": user, "password": password}
            )
        if response.status_code >= HTTPStatus.BAD_REQUEST:
            raise api_error(response)
        cookies = SimpleCookie(response.headers.get("Set-Cookie", "")).values()
        if not cookies:
            raise UnexpectedResponse(f"The server at {self.base} has no sign-in with passwords.")
        return next(iter(cookies)).value

    def sign_out(self) -> None:
        """End the sign-in whose token this client sends."""
        self._send_once("POST", "/auth/sign-out", [_CLIENT], {})

    @contextmanager
    def _translated_errors(self) -> Iterator[None]:
        """Replace the HTTP library's errors."""
        try:
            yield
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            raise Unreachable(f"No server answers at {self.base} ({error}).") from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise ConnectionLost(f"The connection to {self.base} broke ({error or type(error).__name__}).") from error
