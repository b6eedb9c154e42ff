"""Build the still of an app: a static page for shared links and exports, which need no sign-in and no server.

The still shows the title, the tool, the date, the arguments and the result of the call. It is no picture of the app:
the page cannot see into the app's frame, and what a script inside of the frame reports is whatever the app claims.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import pybase64

from satchel.contract import is_app, scrub_text
from satchel.domain import arguments as args
from satchel.domain.calls import Call
from satchel.domain.files import FileRecord
from satchel.domain.ids import CALL_ID, CallId, TurnId, turn_of
from satchel.domain.size_limits import truncate
from satchel.ports.calls import Calls
from satchel.ports.links import Signer
from satchel.ports.storage import FileStore
from satchel.services.apps.read_app import read_state

STILL_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""The content security policy of a still: its own styles and pictures, no scripts, no requests."""

_CALL_ID = re.compile(CALL_ID)
_MAX_CHARS = 100_000
_MAX_PICTURE_CHARS = 2_000_000
_PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_APP_SUFFIX = ".app.html"
_STYLE = (
    ":root{color-scheme:light dark}"
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere}img{max-width:100%}"
)
_NOTE = "A still of an app: the input and the result of the tool that opened it, without what was done in the app."


@dataclass(frozen=True)
class Still:
    """The still of a version of an app, as an HTML page."""

    name: str
    etag: str
    content: bytes


@dataclass(frozen=True)
class ReadStill:
    """Build stills of apps from what is stored."""

    calls: Calls
    store: FileStore
    signer: Signer

    def for_link(self, file: FileRecord, token: str, *, requested: bool) -> Still | None:
        """Return the still that a link to ``file`` opens, or None if the link opens the file itself.

        Links that were shared open the still of an app, other links only if the still is ``requested``.
        """
        if not is_app(file.mime) or not _CALL_ID.fullmatch(file.origin):
            return None
        claims = self.signer.verify(token, ("ui",))
        return self(file) if requested or (claims and claims.link_id) else None

    def __call__(self, app: FileRecord) -> Still:
        """Return the still of an app. Without its call or its state, it says so."""
        found = self.calls.get(TurnId(turn_of(app.origin)), CallId(app.origin))
        call = found if found and found.user == app.user else None
        state = read_state(self.store, app.user, CallId(app.origin))
        body = "\n".join(_sections(app, call, state.result if state else None))
        title = escape(_title(app, call))
        page = (
            f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
            f"<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n{body}\n</main>\n</body>\n</html>\n"
        )
        name = f"{app.name.removesuffix(_APP_SUFFIX)}.still.html"
        return Still(name=name, etag=f"{app.object_id}.still", content=page.encode())


def _title(app: FileRecord, call: Call | None) -> str:
    artifacts = call.result.artifacts if call and call.result else []
    titles = (each.title for each in artifacts if (each.file_key, each.version) == (app.file_key, app.version))
    return next(filter(None, titles), None) or app.name.removesuffix(_APP_SUFFIX)


def _sections(app: FileRecord, call: Call | None, result: Mapping[str, Any] | None) -> Iterator[str]:
    at = app.created_at.strftime("%Y-%m-%d %H:%M UTC")
    tool = f"<code>{escape(call.tool)}</code>, " if call else ""
    yield f"<p>{_NOTE}</p>\n<p>{tool}{at}</p>"
    if call and (arguments := args.parse_or_text(call.arguments)):
        yield f"<h2>Input</h2>\n<pre>{_shown(_to_text(arguments))}</pre>"
    yield "<h2>Result</h2>"
    if result is None:
        yield "<p>The result is no longer stored.</p>"
        return
    yield from _result(result)


def _result(result: Mapping[str, Any]) -> Iterator[str]:
    content = result.get("content")
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    texts = [block["text"] for block in blocks if block.get("type") == "text" and isinstance(block.get("text"), str)]
    structured = result.get("structuredContent")
    text = "\n\n".join(texts) or ("" if structured is None else _to_text(structured))
    if text:
        yield f"<pre>{_shown(text)}</pre>"
    yield from _pictures(blocks)


def _pictures(blocks: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    left = _MAX_PICTURE_CHARS
    for block in blocks:
        data, mime = block.get("data"), block.get("mimeType")
        if block.get("type") != "image" or mime not in _PICTURES or not isinstance(data, str) or len(data) > left:
            continue
        try:
            pybase64.b64decode(data, validate=True)
        except ValueError:
            continue
        left -= len(data)
        yield f'<p><img alt="Picture of the result" src="data:{mime};base64,{data}"></p>'


def _to_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)


def _shown(text: str) -> str:
    """Return a text as HTML, without links to files and secrets, because a still may be shared."""
    return escape(truncate(scrub_text(text), _MAX_CHARS))
