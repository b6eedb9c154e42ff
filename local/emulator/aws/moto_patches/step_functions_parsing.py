"""Make moto's Step Functions interpreter parse each definition and each JSONPath once, and cache the results.

Patches ``AmazonStateLanguageParser.parse``, and jsonpath_ng's ``parse`` in two modules of moto. Without the patch,
ANTLR parses the whole state machine for each execution, jsonpath_ng builds its parser's tables for each path, and the
tests of chat turns take 24 % more CPU time. Executions share the cached syntax tree, whose nodes keep their texts. They
do not share the components that are created from the tree, because executions change these components.
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
    """Patch moto so that it parses each definition and each JSONPath only once."""
    replace(AmazonStateLanguageParser, "parse", staticmethod(_parse_with_cached_tree))
    for module in (json_path, result_path):
        replace(module, "parse", lru_cache(_MAX_PATHS)(module.parse))


def _parse_with_cached_tree(definition: str) -> tuple[Any, Any]:
    tree = _tree(definition)
    return Preprocessor().visit(tree), tree


@lru_cache(_MAX_DEFINITIONS)
def _tree(definition: str) -> Any:  # noqa: ANN401  (antlr4 has no types)
    """Return the syntax tree of a state machine definition. Raise ASLParserException if it has a syntax error."""
    tree = _parse(definition)[1]
    _keep_texts(tree)
    return tree


def _keep_texts(node: Any) -> None:  # noqa: ANN401  (antlr4 has no types)
    """Let each node return its text without asking all nodes below it, which each execution does for every node."""
    for position in range(node.getChildCount()):
        _keep_texts(node.getChild(position))
    text = node.getText()
    node.getText = lambda: text
