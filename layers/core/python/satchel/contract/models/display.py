"""Where and how what came is to be shown: hints, which never cost a result (spec 2 §1 and §3, spec 3 §8)."""

from typing import Literal

from pydantic import Field

from satchel.contract.jsonable import Text
from satchel.contract.models.lenient import LenientModel

Mode = Literal["replace", "append", "split"]


class Display(LenientModel):
    """Hints for the canvas. ``open_canvas`` not given (see ``model_fields_set``) differs from false (spec 2 §7)."""

    open_canvas: bool = False
    primary_file: Text | None = None
    mode: Mode | None = None
    viewer_hint: Text | None = None
    storage_action: Literal["store", "store_and_open", "temporary"] = "store"
    category_hint: Text | None = None
    notification: Text | None = None


class Canvas(LenientModel):
    """A dashboard in an iframe (spec 2 §3). ``url`` is as the tool gave it; who shows it decides whether it may."""

    open: bool = True
    id: Text | None = None
    persistence: Literal["session", "ephemeral", "pinned"] = "session"
    type: Text = "iframe"
    url: Text | None = None
    token: Text | None = Field(default=None, repr=False)
    title: Text | None = None
    mode: Mode | None = None
