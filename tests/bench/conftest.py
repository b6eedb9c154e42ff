"""matplotlib for Python 3.11 calls its own dependency by names given up since: at its import, and when it draws."""

import warnings
from importlib import import_module

with warnings.catch_warnings():
    warnings.filterwarnings("ignore", message="'.*' .*deprecated", category=DeprecationWarning)
    import_module("tests.bench.plot")
