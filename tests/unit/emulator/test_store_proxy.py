"""The store of the emulated AWS at the server's own address: which requests reach it, and which URLs clients get."""

from collections.abc import AsyncIterator, Iterator

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from local.emulator.store_proxy import StoreProxy

STORE, PUBLIC, LOOPBACK = "http://127.0.0.1:5000", "https://satchel.example", "http://127.0.0.1:8000"
SIGNED = "/satchel-files/u/a%20b%2Fc.html?X-Amz-Signature=1&response-content-type=text%2Fhtml"


class Store:
    """Records the requests, and answers each with the same file."""

    def __init__(self) -> None:
        self.requests: list[httpx2.Request] = []
        self.bodies: list[bytes] = []

    async def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        self.bodies.append(await request.aread())
        headers = {"Content-Type": "text/html", "ETag": '"e"', "Set-Cookie": "a=b", "X-Amz-Request-Id": "1"}
        return httpx2.Response(200, content=_chunks(), headers=headers)


async def _chunks() -> AsyncIterator[bytes]:
    for chunk in (b"<scr", b"ipt>"):
        yield chunk


async def parts(_request: Request) -> Response:
    return JSONResponse({"parts": [{"url": f"{STORE}{SIGNED}"}], "padding": "x" * 2000})


async def download(_request: Request) -> Response:
    return RedirectResponse(f"{STORE}{SIGNED}", 307)


async def other(_request: Request) -> Response:
    return RedirectResponse("https://other.example/x", 307)


@pytest.fixture
def store() -> Store:
    return Store()


@pytest.fixture
def http(store: Store) -> Iterator[TestClient]:
    api = Starlette(
        routes=[
            Route("/api/files/uploads/u1/parts", parts, methods=["POST"]),
            Route("/api/files/download/f1", download),
            Route("/other", other),
        ]
    )
    app = StoreProxy(GZipMiddleware(api, 100), STORE, PUBLIC, httpx2.MockTransport(store))
    with TestClient(app, base_url=LOOPBACK, follow_redirects=False) as client:
        yield client


@pytest.mark.parametrize(
    ("headers", "origin"),
    [
        ({}, LOOPBACK),
        ({"Host": "localhost:8000"}, "http://localhost:8000"),
        ({"Host": "[::1]:8000"}, "http://[::1]:8000"),
        ({"Host": "satchel.example"}, PUBLIC),
        ({"Host": "satchel.example", "Origin": PUBLIC}, PUBLIC),
        ({"Origin": PUBLIC}, PUBLIC),  # a reverse proxy that replaces the host
        ({"Origin": LOOPBACK}, LOOPBACK),
    ],
)
def test_urls_of_parts_have_the_origin_that_the_client_used(
    http: TestClient, headers: dict[str, str], origin: str
) -> None:
    response = http.post("/api/files/uploads/u1/parts", headers={"Accept-Encoding": "gzip", **headers})

    assert response.json()["parts"] == [{"url": f"{origin}/store{SIGNED}"}]
    assert int(response.headers["content-length"]) == len(response.content)


def test_redirect_to_the_store_stays_on_the_server(http: TestClient) -> None:
    assert http.get("/api/files/download/f1").headers["location"] == f"/store{SIGNED}"
    assert http.get("/other").headers["location"] == "https://other.example/x"


def test_signed_url_reaches_the_store_unchanged_and_without_credentials(http: TestClient, store: Store) -> None:
    headers = {"Cookie": "satchel-session=s", "Authorization": "Bearer s", "Origin": PUBLIC, "X-Satchel-User": "ada"}
    response = http.put(f"/store{SIGNED}", content=b"part", headers={**headers, "X-Amz-Checksum-Sha256": "c"})

    (request,) = store.requests
    assert (request.method, str(request.url), store.bodies) == ("PUT", f"{STORE}{SIGNED}", [b"part"])
    assert request.headers["x-amz-checksum-sha256"] == "c"
    assert request.headers["content-length"] == "4"
    assert "transfer-encoding" not in request.headers
    assert not {name.lower() for name in headers} & request.headers.keys()
    assert response.headers["etag"] == '"e"'


def test_content_cannot_run_and_sets_no_cookie(http: TestClient) -> None:
    response = http.get(f"/store{SIGNED}")

    assert response.content == b"<script>"
    assert response.headers["content-security-policy"] == "sandbox; default-src 'none'"
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["cache-control"] == "no-store"
    assert not {"set-cookie", "x-amz-request-id"} & response.headers.keys()


@pytest.mark.parametrize("use", ["script", "style", "worker", "serviceworker", "sharedworker", "manifest"])
def test_content_is_not_served_as_code(http: TestClient, store: Store, use: str) -> None:
    assert http.get(f"/store{SIGNED}", headers={"Sec-Fetch-Dest": use}).status_code == 403
    assert store.requests == []


@pytest.mark.parametrize("method", ["POST", "DELETE", "OPTIONS", "PATCH"])
def test_other_methods_do_not_reach_the_store(http: TestClient, store: Store, method: str) -> None:
    assert http.request(method, f"/store{SIGNED}").status_code == 405
    assert store.requests == []


@pytest.mark.parametrize("path", ["/store//evil.example/x", "/store/@evil.example/x", "/store/%2e%2e/x"])
def test_no_path_leads_to_another_host(http: TestClient, store: Store, path: str) -> None:
    http.get(path)

    assert [request.url.netloc for request in store.requests] == [b"127.0.0.1:5000"]


def test_store_that_does_not_answer_is_a_problem(store: Store) -> None:
    async def fail(_request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("refused")

    with TestClient(StoreProxy(Starlette(), STORE, PUBLIC, httpx2.MockTransport(fail))) as http:
        assert http.get(f"/store{SIGNED}").json()["error_code"] == "E_UNAVAILABLE"
    assert store.requests == []
