"""Replace ``moto.batch`` with a stub, so that importing moto's Step Functions interpreter imports no Batch or EC2.

The interpreter only needs the module ``moto.batch.utils``. But the real package's ``__init__`` imports all of Batch and
EC2, which doubles the import time. The stub has the real package's search path, so the real package's modules can
still be imported when they are needed.
"""

import sys
from importlib.util import find_spec
from types import ModuleType


def install() -> None:
    """Register the stub of ``moto.batch`` unless the real package has been imported. Call it before importing moto."""
    spec = find_spec("moto")
    if spec is None or "moto.batch" in sys.modules:
        return
    batch = ModuleType("moto.batch")
    batch.__path__ = [f"{folder}/batch" for folder in spec.submodule_search_locations or ()]
    sys.modules["moto.batch"] = batch
