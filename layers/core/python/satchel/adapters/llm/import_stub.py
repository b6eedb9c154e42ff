"""Imports the models of pydantic_ai without its agents, graphs and docstring parser.

Importing anything from pydantic_ai runs the package's ``__init__``, which imports the whole library. This module
replaces the package with a stub that imports each name on first access. This shortens the import time of the Lambda
function ``think`` by about 30 % with a Bedrock model, but only by about 5 % with Anthropic or OpenAI, whose own
libraries take most of the time. Import this module before pydantic_ai, and only in ``think``: tests may use agents,
which need the docstring parser.
"""

import ast
import sys
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from types import ModuleType

_PACKAGES = ("pydantic_ai", "pydantic_graph")
_DOCSTRING_PARSER = "pydantic_ai._griffe"  # replaced with a stub: Satchel never describes Python functions as tools
_IMPORTED_FIRST = ("pydantic_ai._utils", "pydantic_ai.messages")  # imported first, because other orders cause a cycle


class _LazyPackage(ModuleType):
    """Stub of a package. When a name is first accessed, imports it from the submodule that defines it."""

    def __getattr__(self, name: str) -> object:
        if name == "__version__":
            return version(self.__name__.replace("_", "-") if self.__name__ != "pydantic_ai" else "pydantic-ai-slim")
        module = self.__dict__["_origins"].get(name)
        if module is None:
            raise AttributeError(name)
        return getattr(import_module(f"{self.__name__}.{module}"), name)


def _no_descriptions(*_args: object, **_kwargs: object) -> tuple[None, dict[str, str]]:
    """Return what the real docstring parser returns for a function without a docstring."""
    return None, {}


def _install_lazy_package(package: str) -> None:
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ImportError(package)
    module = module_from_spec(spec)
    module.__class__ = _LazyPackage
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    imports = (node for node in tree.body if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module)
    vars(module)["_origins"] = {alias.asname or alias.name: node.module for node in imports for alias in node.names}
    sys.modules[package] = module


def _import_models() -> None:
    """Install the stubs and import the modules that all providers need, unless pydantic_ai is already imported."""
    if _PACKAGES[0] in sys.modules:
        return
    for package in _PACKAGES:
        _install_lazy_package(package)
    sys.modules[_DOCSTRING_PARSER] = parser = ModuleType(_DOCSTRING_PARSER)
    vars(parser)["doc_descriptions"] = _no_descriptions
    for name in _IMPORTED_FIRST:
        import_module(name)


_import_models()
