"""pydantic_ai without what stands around its models: agents, graphs, and reading docstrings.

Asking a model takes a small part of the library, but whatever is imported of it imports all: as much as the rest of the
function. So the packages' own modules are not run; a name of theirs is looked up where they would take it from.
To be imported before the library, and only where nobody makes agents: in the function, not in tests or tools.
"""

import ast
import sys
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from types import ModuleType

_PACKAGES = ("pydantic_ai", "pydantic_graph")
_UNUSED = "pydantic_ai._griffe"  # reads the docstrings of functions that become tools; ours come with a schema
_FIRST = ("pydantic_ai._utils", "pydantic_ai.messages")  # what stands first among those that import one another


class _Bare(ModuleType):
    """A package whose names are imported when they are asked for."""

    def __getattr__(self, name: str) -> object:
        if name == "__version__":
            return version(self.__name__.replace("_", "-") if self.__name__ != "pydantic_ai" else "pydantic-ai-slim")
        place = self.__dict__["_places"].get(name)
        if place is None:
            raise AttributeError(name)
        return getattr(import_module(f"{self.__name__}.{place}"), name)


def _nothing_read(*_given: object, **_named: object) -> tuple[None, dict[str, str]]:
    """Tell of a docstring what is in none."""
    return None, {}


def _bare(package: str) -> None:
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ImportError(package)
    module = module_from_spec(spec)
    module.__class__ = _Bare
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    imports = (node for node in tree.body if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module)
    vars(module)["_places"] = {one.asname or one.name: node.module for node in imports for one in node.names}
    sys.modules[package] = module


def _import_the_models() -> None:
    """Import what all providers need. Does nothing where the library is there already."""
    if _PACKAGES[0] in sys.modules:
        return
    for package in _PACKAGES:
        _bare(package)
    sys.modules[_UNUSED] = unused = ModuleType(_UNUSED)
    vars(unused)["doc_descriptions"] = _nothing_read
    for name in _FIRST:
        import_module(name)


_import_the_models()
