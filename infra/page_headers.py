"""The headers that go with the web client, here and in the cloud: what its page may load, and from where.

No script but our own files runs, whatever a tool returns. Styles may stand in the markup: what tools write in HTML is
shown in a frame without scripts that inherits this policy, and would be bare without them.
"""

from collections.abc import Iterable, Mapping, Sequence

from infra import sources

_POLICY = "Content-Security-Policy"


def page_headers(
    *, store: str, sockets: str, dashboards: Iterable[str] = (), api: str = "", sign_in: Sequence[str] = ()
) -> dict[str, str]:
    """Return them by name. All arguments are origins (``https://host[:port]``).

    ``store`` is where files are sent to and fetched from, ``sockets`` where events come from (``wss://…``),
    ``dashboards`` are those that tools may show in frames, ``api`` is the API's where it is not the page's own, and
    ``sign_in`` those that are asked for tokens.
    """
    origins = {
        "Store": [store],
        "Sockets": [sockets],
        "Dashboards": list(dashboards),
        "Api": [api] if api else [],
        "SignIn": list(sign_in),
    }
    headers = sources.definition("page-headers")
    return {**headers, _POLICY: _policy(headers[_POLICY], origins)}


def _policy(directives: Mapping[str, Sequence[str]], origins: Mapping[str, Sequence[str]]) -> str:
    placeholders = {f"${{{name}}}": found for name, found in origins.items()}
    said = (
        (name, [origin for source in listed for origin in placeholders.get(source, [source])])
        for name, listed in directives.items()
    )
    return "; ".join(" ".join([name, *(found or ["'none'"])]) for name, found in said)
