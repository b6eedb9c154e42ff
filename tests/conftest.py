"""What holds for every test run."""

import signal


def pytest_configure() -> None:
    """A run in the background of a script has Ctrl-C ignored, and so would every program that it starts."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
