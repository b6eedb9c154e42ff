"""The generated modules of the Python client."""

from clients.python import generate


def test_generated_modules_are_current() -> None:
    outdated = [path.name for path, text in generate.generated_files().items() if path.read_text() != text]
    assert outdated == [], "run `make client`"
