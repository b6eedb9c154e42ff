"""HTTP server made with the SDK that moves files outside of MCP messages (draft SEP-2631). It prints its port.

A file whose name begins with ``form`` is uploaded as a form, others with PUT. The server checks the size and the digest
that ``files/authorizeUpload`` announced. ``GET /seen`` returns what it got: capabilities, methods and headers.
"""

import base64
import hashlib
import json
import socket
from typing import Annotated, Any

import uvicorn
from mcp import MCPError
from mcp.server.extension import Extension, MethodBinding
from mcp.server.mcpserver import MCPServer
from mcp_types import INVALID_PARAMS, CallToolResult, RequestParams
from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SERVER = "mcp-file://transfer"
REPORT = b"made,by\nthe,server\n" * 1000
FILES: dict[str, bytes] = {"report.csv": REPORT}
EXPECTED: dict[str, dict[str, Any]] = {}
SEEN: list[dict[str, Any]] = []
ORIGIN = ""


class FileParams(RequestParams):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    uri: str | None = None
    name: str | None = None
    mime_type: str | None = None
    size: int | None = None
    digest: dict[str, str] | None = None


def digest_of(data: bytes) -> dict[str, str]:
    value = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
    return {"algorithm": "sha-256", "value": value}


class Files(Extension):
    identifier = "example.test/files"

    def methods(self) -> list[MethodBinding]:
        handlers = {"files/authorizeUpload": self._upload, "files/authorizeDownload": self._download}
        return [MethodBinding(method, FileParams, handler) for method, handler in handlers.items()]

    async def _upload(self, _: Any, params: FileParams) -> dict[str, Any]:  # noqa: ANN401  (a type of the SDK)
        announced = params.model_dump(by_alias=True, exclude_none=True)
        meta = announced.pop("_meta", {})
        SEEN.append(
            {"announced": announced, "files": meta.get("io.modelcontextprotocol/clientCapabilities", {}).get("files")}
        )
        name = str(params.name)
        if name.startswith("refused"):
            raise MCPError(code=INVALID_PARAMS, message="maxSizeExceeded")
        EXPECTED[name] = announced
        url = "http://files.example.test/upload" if name.startswith("insecure") else f"{ORIGIN}/upload/{name}"
        upload: dict[str, Any] = {"transport": "https", "method": "PUT", "url": url, "headers": {"X-Ticket": "t1"}}
        if name.startswith("form"):
            form = {"fileField": "content", "fields": {"token": "t2"}}
            upload |= {"method": "POST", "headers": {"Content-Type": "multipart/form-data"}, "multipart": form}
        return {"file": {"uri": f"{SERVER}/{name}", **announced}, "upload": upload}

    async def _download(self, _: Any, params: FileParams) -> dict[str, Any]:  # noqa: ANN401  (a type of the SDK)
        name = str(params.uri).rpartition("/")[2]
        if name not in FILES:
            raise MCPError(code=INVALID_PARAMS, message="unknown file")
        file: dict[str, Any] = {"uri": params.uri, "name": name, "mimeType": "text/csv", "size": len(FILES[name])}
        file["digest"] = digest_of(b"other" if name.startswith("forged") else FILES[name])
        address = {"transport": "https", "method": "GET", "url": f"{ORIGIN}/download/{name}"}
        return {"file": file, "download": address | {"headers": {"X-Ticket": "t3"}}}


server = MCPServer("transfer", extensions=[Files()])
Upload = Annotated[str, Field(json_schema_extra={"format": "uri", "x-mcp-file": {"transferModes": ["upload"]}})]
Inline = Annotated[str, Field(json_schema_extra={"format": "uri", "x-mcp-file": {"transferModes": ["inline"]}})]


@server.tool()
def describe(document: Upload) -> str:
    """Say what arrived."""
    return json.dumps({"uri": document, "size": len(FILES[document.rpartition("/")[2]])})


@server.tool()
def embed(document: Inline) -> str:
    """Return the argument as it is."""
    return document


@server.tool()
def compare(documents: list[Upload]) -> str:
    """Return the addresses."""
    return json.dumps(documents)


@server.tool()
def make(name: str, structured: bool = False) -> CallToolResult:  # noqa: FBT001, FBT002  (an argument of the tool)
    """Return a file: in the structured content, or else as a content block (see ``with_file_blocks``)."""
    del structured
    return CallToolResult(content=[], structured_content={"rows": 1000, "made": [_made(name)]})


def _made(name: str) -> dict[str, str]:
    if name.startswith("forged"):
        FILES[name] = REPORT
    return {"uri": f"{SERVER}/{name}", "name": name, "mimeType": "text/csv"}


def _check(name: str, data: bytes) -> Response:
    announced = EXPECTED[name]
    if (announced["size"], announced["digest"]) != (len(data), digest_of(data)):
        return Response(status_code=422)
    FILES[name] = data
    return Response()


@server.custom_route("/upload/{name}", ["PUT", "POST"])  # type: ignore[untyped-decorator]
async def upload(request: Request) -> Response:
    name = request.path_params["name"]
    if request.method == "PUT":
        seen = {
            key: request.headers.get(key) for key in ("x-ticket", "content-type", "content-length", "authorization")
        }
        SEEN.append(seen)
        return _check(name, await request.body())
    form = await request.form()
    SEEN.append({"token": form["token"]})
    return _check(name, await form["content"].read())  # type: ignore[union-attr]


@server.custom_route("/download/{name}", ["GET"])  # type: ignore[untyped-decorator]
async def download(request: Request) -> Response:
    if request.headers.get("x-ticket") != "t3":
        return Response(status_code=403)
    return Response(FILES[request.path_params["name"]], media_type="text/csv")


@server.custom_route("/seen", ["GET"])  # type: ignore[untyped-decorator]
async def seen(_: Request) -> Response:
    answer = JSONResponse(list(SEEN))
    SEEN.clear()
    return answer


def with_file_blocks(app: ASGIApp) -> ASGIApp:
    """Answer calls of ``make`` with a content block of the type ``file``, which the SDK would drop."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != "/mcp" or scope["method"] != "POST":
            await app(scope, receive, send)
            return
        body = await Request(scope, receive).body()
        message = json.loads(body)
        arguments = (message.get("params") or {}).get("arguments") or {}
        if (
            message.get("method") == "tools/call"
            and message["params"]["name"] == "make"
            and "structured" not in arguments
        ):
            blocks = [{"type": "text", "text": "made"}, {"type": "file", "file": _made(arguments["name"])}]
            result = {"resultType": "complete", "content": blocks}
            await JSONResponse({"jsonrpc": "2.0", "id": message["id"], "result": result})(scope, receive, send)
            return

        messages = iter([{"type": "http.request", "body": body, "more_body": False}])

        async def again() -> Message:
            return next(messages, None) or await receive()

        await app(scope, again, send)

    return answer


if __name__ == "__main__":
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        ORIGIN = f"http://127.0.0.1:{port}"
        print(port, flush=True)  # noqa: T201  (the test reads it)
        config = uvicorn.Config(with_file_blocks(server.streamable_http_app()), log_level="error", ws="none")
        uvicorn.Server(config).run(sockets=[listening])
