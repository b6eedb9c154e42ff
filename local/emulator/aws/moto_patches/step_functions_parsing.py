"""Make moto's Step Functions interpreter parse each definition and each JSONPath once, and cache the results.

Patches ``AmazonStateLanguageParser.parse``, and jsonpath_ng's ``parse`` in two modules of moto. Without the patches,
ANTLR parses the whole state machine for each execution, jsonpath_ng builds its parser's tables for each path, and the
tests of chat turns take 24 % more CPU time. Patches ``StepFunctionsParserBackend._validate_definition``, because the
parsing would delay the start of a system by 0.15 seconds: the first execution of a state machine parses it.

Executions share the components of a definition. They keep their state in their own environments, by the keys of the
components. Patches ``EvalComponent.heap_key``, because unpatched moto creates a key when it is first used: two
executions that use a component at the same time could create two, and a retry would not be counted.
"""

from functools import cache, lru_cache

from moto.stepfunctions.parser.asl.component.common.path import result_path
from moto.stepfunctions.parser.asl.component.eval_component import EvalComponent
from moto.stepfunctions.parser.asl.parse.asl_parser import AmazonStateLanguageParser
from moto.stepfunctions.parser.asl.utils import json_path
from moto.stepfunctions.parser.models import StepFunctionsParserBackend

from local.emulator.aws.moto_patches.patching import original, replace

_MAX_DEFINITIONS = 16
_MAX_PATHS = 1024

_parse = original(AmazonStateLanguageParser, "parse").__func__


@cache
def install() -> None:
    """Patch moto so that it parses each definition and each JSONPath only once."""
    replace(AmazonStateLanguageParser, "parse", staticmethod(lru_cache(_MAX_DEFINITIONS)(_parse)))
    replace(StepFunctionsParserBackend, "_validate_definition", staticmethod(_accept))
    replace(EvalComponent, "heap_key", property(lambda component: str(id(component))))
    for module in (json_path, result_path):
        replace(module, "parse", lru_cache(_MAX_PATHS)(module.parse))


def _accept(definition: str) -> None:
    """Do not parse the definition yet."""
