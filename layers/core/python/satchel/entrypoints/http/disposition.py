"""Content-Disposition in both forms (RFC 6266): an ASCII fallback, and UTF-8 percent-encoded."""

from urllib.parse import quote


def content_disposition(name: str, *, inline: bool) -> str:
    """Return the header. Quotes, backslashes and line ends never pass: the name comes from anybody."""
    plain = "".join(char if " " <= char <= "~" and char not in '"\\%' else "_" for char in name)
    return f"{'inline' if inline else 'attachment'}; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
