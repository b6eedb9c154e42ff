"""Whether a reader has a file already (RFC 9110 §13). Each version has one ETag, for good."""


def has_it(if_none_match: str | None, etag: str) -> bool:
    """Tell whether ``If-None-Match`` names what would be sent."""
    named = {one.strip().removeprefix("W/") for one in (if_none_match or "").split(",")}
    return "*" in named or etag in named


def range_holds(if_range: str | None, etag: str) -> bool:
    """Tell whether a range may be sent: without ``If-Range``, or where it names this very version."""
    return if_range is None or if_range.strip() == etag
