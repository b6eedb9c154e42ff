"""One module a function: builds its adapters and nothing else's, once a process.

The only place that constructs clients. Called by ``functions/*/handler.py``; tests build the services with fakes.
Each handler imports one of these modules before anything else of ours, so here is said how functions start.
"""

import gc
import sys
import warnings

from pydantic import BaseModel
from pydantic.warnings import UnsupportedFieldAttributeWarning

# Imports make half a million objects that stay: by default the collector looks through them 800 times meanwhile, which
# is a fifth of the time that a start takes. What it collects later than before is some ten megabytes at most.
gc.set_threshold(50_000)

# A function uses few of the models that it imports. Without this, each would get its validator at the start, those of
# FastAPI's OpenAPI and of MCP's two eras included: a tenth to a fifth of what the start of a function costs.
BaseModel.model_config["defer_build"] = True

# FastAPI silences this while it makes its fields, of which each has an alias; made later, they are beyond its silence.
warnings.filterwarnings("ignore", category=UnsupportedFieldAttributeWarning)

# FastAPI imports this only to tell whether a model is one of pydantic 1, and takes an ImportError for a no.
sys.modules.setdefault("pydantic.v1", None)  # type: ignore[arg-type]  # None: the documented way to make an import fail
