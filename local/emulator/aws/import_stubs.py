"""Stub of ``moto.batch``, so that importing moto's Step Functions interpreter does not import Batch and EC2.

The interpreter only needs ``moto.batch.utils`` (the names of a job's states), but the package's ``__init__`` imports
all of Batch and EC2, which doubles the import time. The stub has the same path, so the package's modules can still be
imported on demand.
"""

import sys
from importlib.util import find_spec
from types import ModuleType


def install() -> None:
    """Register the stub unless the full package has been imported. Call this before importing moto."""
    spec = find_spec("moto")
    if spec is None or "moto.batch" in sys.modules:
        return
    batch = ModuleType("moto.batch")
    batch.__path__ = [f"{folder}/batch" for folder in spec.submodule_search_locations or ()]
    sys.modules["moto.batch"] = batch
