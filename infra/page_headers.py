"""Build the web client's HTTP headers (locally and on AWS), which restrict what the page may load and from where.

The Content-Security-Policy allows only scripts from the page's own files, so scripts in tool output never run. It
allows inline styles, because the page shows tools' HTML in a script-free frame that inherits the policy.

The header holds two policies, and the browser enforces both. The first limits scripts and styles to the page's origin,
from which users also download files of tools. The second limits them to the folder of the page's files, on any host,
because a template cannot contain the host name of the distribution whose headers it defines.
"""

from collections.abc import Iterable, Mapping, Sequence

from infra import sources

_POLICY = "Content-Security-Policy"


def page_headers(
    *,
    store: str,
    sockets: str,
    dashboards: Iterable[str] = (),
    apps: str = "",
    api: str = "",
    sign_in: Sequence[str] = (),
) -> dict[str, str]:
    """Return the page's HTTP headers by name. All arguments are origins that the page may use.

    ``store`` is the file store, and ``sockets`` is the WebSocket API (``wss://…``). ``dashboards`` are the sites that
    tools may show in frames. ``apps`` serves the frame for apps, if the deployment has one. ``api`` is the HTTP API, or
    empty if the API has the same origin as the page. ``sign_in`` are the token issuers.
    """
    origins = {
        "Store": [store],
        "Sockets": [sockets],
        "Dashboards": list(dashboards),
        "Apps": [apps] if apps else [],
        "Api": [api] if api else [],
        "SignIn": list(sign_in),
    }
    headers = sources.load_definition("page-headers")
    return {**headers, _POLICY: ", ".join(_policy(each, origins) for each in headers[_POLICY])}


def _policy(directives: Mapping[str, Sequence[str]], origins: Mapping[str, Sequence[str]]) -> str:
    placeholders = {f"${{{name}}}": values for name, values in origins.items()}
    expanded = (
        (name, [origin for entry in entries for origin in placeholders.get(entry, [entry])])
        for name, entries in directives.items()
    )
    return "; ".join(" ".join([name, *(values or ["'none'"])]) for name, values in expanded)
