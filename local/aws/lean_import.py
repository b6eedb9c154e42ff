"""moto's interpreter without moto's EC2: half of its import, for nothing but the names of a Batch job's states.

The interpreter needs ``moto.batch.utils``, and the package around it imports the whole of Batch and EC2. Here the
package is an empty one in the same place: its modules are found, and are imported when somebody asks for them.
"""

import sys
from importlib.util import find_spec
from types import ModuleType


def install() -> None:
    """Put the empty package there, unless the full one has been imported. To be called before moto is imported."""
    spec = find_spec("moto")
    if spec is None or "moto.batch" in sys.modules:
        return
    batch = ModuleType("moto.batch")
    batch.__path__ = [f"{folder}/batch" for folder in spec.submodule_search_locations or ()]
    sys.modules["moto.batch"] = batch
