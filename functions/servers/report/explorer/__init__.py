"""The app that explores a CSV file: a page of plain HTML, CSS and JavaScript, which needs no build and no network."""

from pathlib import Path

_FOLDER = Path(__file__).parent
_SCRIPTS = ("host.js", "data.js", "explorer.js")  # in the order of their use


def explorer_page() -> str:
    """Return the page as one HTML file, as hosts of MCP Apps load it."""
    scripts = "\n".join(_read(name) for name in _SCRIPTS)
    return _read("page.html").replace("@STYLE@", _read("style.css")).replace("@SCRIPTS@", scripts)


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
