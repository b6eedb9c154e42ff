"""Local web site that serves a dashboard and records its requests."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_DASHBOARD = b"""<!doctype html><title>Monitor</title><h1>Live</h1><p id=token></p>
<button onclick="tell({type: 'satchel:action', action: 'acknowledge', details: {alert: 17}})">Acknowledge</button>
<script>
  const tell = message => parent.postMessage(message, '*');
  addEventListener('message', ({data}) => { if (data.type === 'satchel:token') token.textContent = data.token; });
  try { parent.document.title = 'canary'; } catch { tell({type: 'satchel:ready'}); }
</script>"""


@dataclass(frozen=True)
class RecordingSite:
    """A running site. ``requests`` has `(path, Cookie header)` for each request so far."""

    origin: str
    requests: list[tuple[str, str]] = field(default_factory=list)


@contextmanager
def running_site() -> Iterator[RecordingSite]:
    """Run a site on a free port that answers every request with the dashboard."""
    requests: list[tuple[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """Record the request and send the dashboard."""
            requests.append((self.path, self.headers.get("Cookie", "")))
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Set-Cookie", "known=user; Path=/")
            self.end_headers()
            self.wfile.write(_DASHBOARD)

        do_POST = do_GET  # noqa: N815  (the library's names)

        def log_message(self, *_: object) -> None:
            """Write no log."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield RecordingSite(f"http://127.0.0.1:{server.server_address[1]}", requests)
        server.shutdown()
