"""The start of a process: connects the use cases with the real adapters, and sets up logs and metrics.

Only this package creates clients of AWS. The handlers (``functions/*/handler.py``), the local run and the command line
import it. Every handler imports one of these modules first, so the settings below apply before all other imports.
"""

import gc
import sys
import warnings

from pydantic import BaseModel
from pydantic.warnings import UnsupportedFieldAttributeWarning

# Imports create half a million objects that are never freed. With the default threshold the garbage collector scans
# them 800 times, a fifth of the cold start. The higher threshold delays the release of about ten megabytes at most.
gc.set_threshold(50_000)

# A function uses few of the models that it imports. Without this line pydantic builds the validators of all of them at
# import, including those of FastAPI's OpenAPI and of both MCP protocols: 10 to 20 % of the cold start.
BaseModel.model_config["defer_build"] = True

# FastAPI suppresses this warning only while it creates its fields; ``defer_build`` delays part of that work.
warnings.filterwarnings("ignore", category=UnsupportedFieldAttributeWarning)

# FastAPI imports this module only to detect models of pydantic 1, and treats an ImportError as "there are none".
sys.modules.setdefault("pydantic.v1", None)  # type: ignore[arg-type]  # the documented way to make an import fail
