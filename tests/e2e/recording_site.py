"""Local web site that serves dashboards, verifies their tokens and records its requests."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import jwt

_DASHBOARD = b"""<!doctype html><title>Monitor</title><h1>Live</h1><p id=token></p>
<button onclick="tell({type: 'satchel:action', action: 'acknowledge', details: {alert: 17}})">Acknowledge</button>
<script>
  const tell = message => parent.postMessage(message, '*');
  addEventListener('message', ({data}) => { if (data.type === 'satchel:token') token.textContent = data.token; });
  try { parent.document.title = 'canary'; } catch { tell({type: 'satchel:ready'}); }
</script>"""

# A dashboard that speaks the bridge of MCP Apps, in the messages of the specification.
_BRIDGED_DASHBOARD = b"""<!doctype html><title>Bridged</title><h1>Bridged</h1><p id=context></p><p id=answer></p>
<button onclick="say()">Say</button>
<script>
  const say = () => send({id: 2, method: 'ui/message', params: {role: 'user', content: [{type: 'text', text: 'Hi'}]}});
  const send = message => parent.postMessage({jsonrpc: '2.0', ...message}, '*');
  addEventListener('message', ({data}) => {
    if (data.id === 1) context.textContent = JSON.stringify(data.result);
    if (data.id === 1) send({method: 'ui/notifications/initialized'});
    if (data.id === 2) answer.textContent = JSON.stringify(data.result ?? data.error);
    if (data.method === 'ui/notifications/host-context-changed') context.textContent = JSON.stringify(data.params);
  });
  const params = {protocolVersion: '2026-01-26', appInfo: {name: 'd', version: '1'}, appCapabilities: {}};
  send({id: 1, method: 'ui/initialize', params});
</script>"""

# A dashboard that knows nothing of messages: its own server must tell it who the user is.
_PLAIN_DASHBOARD = b"""<!doctype html><title>Plain</title><h1>Plain</h1><p id=user></p>
<script>
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  fetch('/user', {headers: {Authorization: `Bearer ${token}`}})
    .then(answer => answer.text()).then(text => { user.textContent = text; });
</script>"""
_DOCUMENT = Path(__file__).parents[2] / "docs" / "dashboards.md"


@dataclass(frozen=True)
class RecordingSite:
    """A running site. ``requests`` has `(path, Cookie header)` for each request so far.

    `/plain` is a dashboard without messages, `/bridged` one with those of MCP Apps, and each other path one with
    messages. `/user` answers with the claims of the token in the request. ``issuers`` has the deployment whose tokens
    the site accepts.
    """

    origin: str
    requests: list[tuple[str, str]] = field(default_factory=list)
    issuers: list[str] = field(default_factory=list)

    def user_of(self, token: str) -> str:
        """Return a token's claims as JSON, or the reason for which it is not valid."""
        try:
            return json.dumps(verifier(self.issuers[-1], self.origin)(token))
        except jwt.PyJWTError as error:
            return f"refused: {error}"


def verifier(issuer: str, origin: str) -> Callable[[str], dict[str, Any]]:
    """Return the function ``verify`` of docs/dashboards.md, for this issuer and the origin of a dashboard."""
    block = re.search(r"```python\n(.*?)```", _DOCUMENT.read_text("utf-8"), re.DOTALL)
    assert block
    code = block[1].replace("https://chat.example.com", issuer).replace("https://dash.example", origin)
    names: dict[str, Any] = {}
    exec(code, names)  # noqa: S102  (the project's own document)
    verify: Callable[[str], dict[str, Any]] = names["verify"]
    return verify


@contextmanager
def running_site() -> Iterator[RecordingSite]:
    """Run a site on a free port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """Record the request and send the answer for its path."""
            site.requests.append((self.path, self.headers.get("Cookie", "")))
            if self.path == "/user":
                _, _, token = self.headers.get("Authorization", "").partition(" ")
                self._send("text/plain", site.user_of(token).encode())
            else:
                pages = {"plain": _PLAIN_DASHBOARD, "bridged": _BRIDGED_DASHBOARD}
                self._send("text/html", pages.get(self.path.strip("/"), _DASHBOARD))

        do_POST = do_GET  # noqa: N815  (the library's names)

        def _send(self, mime: str, body: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", mime)
            self.send_header("Set-Cookie", "known=user; Path=/")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Write no log."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        site = RecordingSite(f"http://127.0.0.1:{server.server_address[1]}")
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield site
        server.shutdown()
