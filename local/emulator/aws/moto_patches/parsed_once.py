"""The interpreter parses a definition and a JSONPath once, not for each execution and each state.

Patches ``AmazonStateLanguageParser.parse`` and two modules' ``parse`` of jsonpath_ng. Without it a sixth of the
processor time of a turn goes into parsers: ANTLR reads the whole machine for each turn, and jsonpath_ng builds its
parser's tables for each path. What stays is what an execution changes: the components made of the tree.
"""

from functools import cache, lru_cache
from typing import Any

from moto.stepfunctions.parser.asl.component.common.path import result_path
from moto.stepfunctions.parser.asl.parse.asl_parser import AmazonStateLanguageParser
from moto.stepfunctions.parser.asl.parse.preprocessor import Preprocessor
from moto.stepfunctions.parser.asl.utils import json_path

from local.emulator.aws.moto_patches.patching import original, replace

_MAX_DEFINITIONS = 16
_MAX_PATHS = 1024

_parse = original(AmazonStateLanguageParser, "parse").__func__


@cache
def install() -> None:
    """Patch moto."""
    replace(AmazonStateLanguageParser, "parse", staticmethod(_components))
    for module in (json_path, result_path):
        replace(module, "parse", lru_cache(_MAX_PATHS)(module.parse))


def _components(definition: str) -> tuple[Any, Any]:
    tree = _tree(definition)
    return Preprocessor().visit(tree), tree


@lru_cache(_MAX_DEFINITIONS)
def _tree(definition: str) -> Any:  # noqa: ANN401  (antlr4 has no types)
    """Return the tree of a definition without a syntax error; raises ASLParserException for others."""
    return _parse(definition)[1]
