"""Pictures in requests to model providers, in the wire format of each provider."""

import base64
import re
from collections.abc import Iterator

_DATA_URL = re.compile(r"data:image/(?:png|jpeg);base64,(.*)", re.DOTALL)


def pictures_in(body: object) -> list[bytes]:
    """Return the pictures of a request, in any wire format."""
    return list(_pictures(body))


def _pictures(value: object) -> Iterator[bytes]:
    match value:
        case {"media_type": "image/png" | "image/jpeg", "data": str(data)}:
            yield base64.b64decode(data)
        case {"format": "png" | "jpeg", "source": {"bytes": str(data)}}:
            yield base64.b64decode(data)
        case {"url": str(url)} if data_url := _DATA_URL.fullmatch(url):
            yield base64.b64decode(data_url[1])
        case dict() | list():
            for item in value.values() if isinstance(value, dict) else value:
                yield from _pictures(item)
