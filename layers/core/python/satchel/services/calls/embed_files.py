"""Replace paths of input files in a tool call's arguments with the files' content, for tools that cannot open paths."""

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pybase64

from satchel.contract.media_types import mime_of
from satchel.domain import arguments as args
from satchel.domain.object_keys import input_path
from satchel.ports.runners import ArtifactOpener, CallOrder

INPUTS = "input_files"


def embed_files(order: CallOrder, workspace: Path | None, open_file: ArtifactOpener) -> dict[str, Any]:
    """Return the order's arguments with base64 text or ``data:`` URIs in place of paths, where the order says so."""
    if workspace is None or not order.embedded:
        return order.arguments
    inputs = {input_path(order.user, each.name): each for each in order.inputs}

    def content(name: str, *, form: args.FileForm) -> str:
        file = inputs.get(name)
        if file is None or form not in args.EMBEDDED_FORMS:
            return name
        with open_file(f"{INPUTS}/{file.name}", workspace, file.size) as opened:
            encoded = pybase64.b64encode(opened.read()).decode()
        return encoded if form == "base64" else f"data:{mime_of(file.name)};name={quote(file.name)};base64,{encoded}"

    return args.replace_file_names(order.embedded, order.arguments, content)
