"""Process startup: connect the use cases to the real adapters, and set up logs and metrics.

Only this package creates AWS clients. The handlers (``functions/*/handler.py``), the local server and the command line
import this package before everything else, so the settings in this module (garbage collector, pydantic) apply to all
later imports.
"""

import gc
import sys
import warnings
from functools import cache

from pydantic import BaseModel
from pydantic.warnings import UnsupportedFieldAttributeWarning

# Imports create 500,000 objects that are never freed. With the default threshold, the garbage collector scans them
# 800 times, which takes 20 % of a cold start. So it scans nothing before ``end_startup``.
gc.set_threshold(10_000_000)

# Build pydantic validators at first use. By default, pydantic builds the validators of all imported models, even of the
# OpenAPI and MCP models that functions rarely use. Building all of them takes 10 to 20 % of a cold start.
BaseModel.model_config["defer_build"] = True

# Ignore a pydantic warning. FastAPI ignores it only during field creation, but ``defer_build`` creates fields later.
warnings.filterwarnings("ignore", category=UnsupportedFieldAttributeWarning)

# Skip the slow import of pydantic.v1. FastAPI needs it only to detect pydantic 1 models, and handles an ImportError.
sys.modules.setdefault("pydantic.v1", None)  # type: ignore[arg-type]  # Python documents that None makes an import fail


@cache
def end_startup() -> None:
    """Let the garbage collector work from now on, but not scan what exists now. The first event calls this.

    The cost of the threshold, which is higher than Python's: about 10 MB are freed later.
    """
    gc.freeze()
    gc.set_threshold(50_000)
