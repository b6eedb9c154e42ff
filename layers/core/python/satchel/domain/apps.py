"""Apps of MCP servers (MCP Apps, SEP-1865): HTML pages in the canvas, with the result of the call that opened them.

An app is stored as a file of its call. The file has the MIME type of apps. A second object, the state, holds what the
app declares and the result of the call. A call that an app makes has a state without an app.
"""

import re
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field

from satchel.domain.ids import CallId, UserName, object_id
from satchel.domain.object_keys import object_key

APP_EXTENSION = "io.modelcontextprotocol/ui"
"""The name of the extension that the client offers to servers, with the MIME type of apps."""

MAX_APP_BYTES = 16 << 20
MAX_STATE_BYTES = 4_000_000
"""The size of a state as JSON. Lambda limits a response of the API to 6 MB."""

APP_INDEX = 998
STATE_INDEX = 999
"""The numbers of an app and of its state among the files of a call. Other files have lower numbers."""

_STATE_NAME = "app.json"
_MAX_DOMAINS = 50
_MAX_DOMAIN_CHARS = 200
_DOMAIN = re.compile(r"(https?|wss?)://(\*\.)?[A-Za-z0-9.-]+(:[0-9]{1,5})?")


class AppPolicy(BaseModel):
    """The domains that an app may use, as its server declares them. An app may use no others."""

    connect_domains: list[str] = []
    resource_domains: list[str] = []
    frame_domains: list[str] = []
    base_uri_domains: list[str] = []

    @classmethod
    def parse(cls, declared: object) -> "AppPolicy":
        """Return the domains of ``_meta.ui.csp``. Omit what is not an origin, because it becomes part of a policy."""
        fields = declared if isinstance(declared, Mapping) else {}
        names = {"connect_domains": "connectDomains", "resource_domains": "resourceDomains"}
        names |= {"frame_domains": "frameDomains", "base_uri_domains": "baseUriDomains"}
        return cls(**{name: _domains(fields.get(theirs)) for name, theirs in names.items()})


def _domains(declared: object) -> list[str]:
    texts = [each.removesuffix("/") for each in declared if isinstance(each, str)] if isinstance(declared, list) else []
    return [text for text in texts if len(text) <= _MAX_DOMAIN_CHARS and _DOMAIN.fullmatch(text)][:_MAX_DOMAINS]


class AppState(BaseModel):
    """The state of an app: what its server declares about the page, and the result of the call, as the server sent it.

    ``uri`` is None if no app was opened, because an app made the call.
    """

    uri: str | None = None
    policy: AppPolicy = AppPolicy()
    writes_clipboard: bool = False
    prefers_border: bool | None = None
    result: dict[str, Any] = Field(default={}, repr=False)

    def bounded(self) -> "AppState":
        """Return the state, with an error in place of a result that is too large for a response of the API."""
        size = len(self.model_dump_json().encode())
        if size <= MAX_STATE_BYTES:
            return self
        text = f"The result is too large for the app: {size / 1e6:.1f} MB, at most {MAX_STATE_BYTES / 1e6:g} MB."
        return self.model_copy(update={"result": {"content": [{"type": "text", "text": text}], "isError": True}})


def state_key(user: UserName, call: CallId) -> str:
    """Return the S3 key of the state that a call leaves."""
    return object_key(user, "artifacts", object_id(call, STATE_INDEX), _STATE_NAME)


def app_file_name(tool: str) -> str:
    """Return the name of the file of a tool's app. ``tool`` is the name without the server."""
    return f"{tool}.app.html"


class AppPage(BaseModel):
    """An app as its server returns it: the HTML text, and what the server declares about the page."""

    uri: str
    html: str = Field(repr=False)
    meta: dict[str, Any] = {}

    def state(self, result: dict[str, Any]) -> AppState:
        """Return the state to store with the result of the call."""
        permissions = self.meta.get("permissions")
        border = self.meta.get("prefersBorder")
        return AppState(
            uri=self.uri,
            policy=AppPolicy.parse(self.meta.get("csp")),
            writes_clipboard=isinstance(permissions, dict) and "clipboardWrite" in permissions,
            prefers_border=border if isinstance(border, bool) else None,
            result=result,
        )
