"""An empty ``moto.batch`` package, so that importing moto's Step Functions interpreter does not import Batch and EC2.

The interpreter only needs ``moto.batch.utils`` (the names of a job's states), but the package's ``__init__`` imports
all of Batch and EC2, which takes as long as the rest. The empty package has the same path, so its modules can be found
and are imported on demand.
"""

import sys
from importlib.util import find_spec
from types import ModuleType


def install() -> None:
    """Register the empty package unless the full one has been imported. Call this before moto is imported."""
    spec = find_spec("moto")
    if spec is None or "moto.batch" in sys.modules:
        return
    batch = ModuleType("moto.batch")
    batch.__path__ = [f"{folder}/batch" for folder in spec.submodule_search_locations or ()]
    sys.modules["moto.batch"] = batch
