"""The settings that each function can read, found in the source: from its handler through the composition root.

A node is a handler, a function of ``satchel.bootstrap``, a member of ``UseCases``, ``AwsPorts`` or ``Settings``, or a
whole module of ``satchel.entrypoints``. An edge is a name or an attribute in a node's code that refers to another node.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from infra.sources import CORE, FUNCTIONS
from satchel import settings
from satchel.settings import SettingsGroup

_PYTHON = CORE / "python"
_ROOTS = {
    "use_cases": "UseCases",
    "ports": "AwsPorts",
    "settings": "Settings",
    "_settings": "Settings",
}
"""Names of variables and attributes that hold an object of a class whose members are nodes."""
_MODULES = {
    "UseCases": "satchel.use_cases",
    "AwsPorts": "satchel.bootstrap.aws_ports",
    "Settings": "satchel.settings",
}


@cache
def settings_of(folder: str) -> frozenset[type[SettingsGroup]]:
    """Return the settings groups that ``functions/{folder}`` can read."""
    groups = {name: kind for name, kind in vars(settings).items() if _is_group(kind)}
    names = {node.rpartition(".")[2] for node in reachable_nodes(folder) if node.startswith("satchel.settings.")}
    return frozenset(groups[name] for name in names & groups.keys())


@cache
def reachable_nodes(folder: str) -> frozenset[str]:
    """Return all nodes that the code of ``functions/{folder}`` refers to, directly or through other nodes."""
    tree = _parse(FUNCTIONS / folder / "handler.py")
    reached: set[str] = set()
    queue = list(_references(tree, tree, owner=""))
    while queue:
        node = queue.pop()
        if node not in reached:
            reached.add(node)
            queue += _edges(node)
    return frozenset(reached)


def _is_group(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, SettingsGroup) and value is not SettingsGroup


@cache
def _parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _module(dotted: str) -> ast.Module | None:
    path = _PYTHON / Path(*dotted.split("."))
    return next((_parse(file) for file in (path.with_suffix(".py"), path / "__init__.py") if file.exists()), None)


@cache
def _members(owner: str) -> dict[str, ast.AST]:
    """Return the methods and properties of a class, or the top-level functions of a module, by name."""
    tree = _module(_MODULES.get(owner, owner))
    assert tree is not None, owner
    body = tree.body
    if owner in _MODULES:
        body = next(each.body for each in body if isinstance(each, ast.ClassDef) and each.name == owner)
    functions = {each.name: each for each in body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}
    return functions | {name: value for each in body for name, value in _lazy_attribute(each)}


def _lazy_attribute(statement: ast.stmt) -> Iterator[tuple[str, ast.AST]]:
    """Yield name and value of ``name = cached_property(lambda …)``."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(args=[ast.Lambda()]) as value):
            yield name, value


@cache
def _edges(node: str) -> tuple[str, ...]:
    owner, _, name = node.rpartition(".")
    if node.startswith("satchel.entrypoints"):
        module = _module(node) or _module(owner)
        return tuple(_references(module, module, owner="")) if module else ()
    if owner not in _MODULES and not owner.startswith("satchel.bootstrap."):
        return ()
    member = _members(owner).get(name)
    module = _module(_MODULES.get(owner, owner))
    return tuple(_references(member, module, owner=owner)) if member and module else ()


def _references(code: ast.AST, module: ast.Module, *, owner: str) -> Iterator[str]:
    """Yield the nodes that ``code`` refers to. ``module`` contains it; ``owner`` is its class, or its module."""
    imports = {
        alias.asname or alias.name: f"{each.module}.{alias.name}"
        for each in ast.walk(module)
        if isinstance(each, ast.ImportFrom)
        for alias in each.names
    }
    local = {} if owner in _MODULES or not owner else {name: f"{owner}.{name}" for name in _members(owner)}
    if owner == "Settings":
        local = {each.name: f"satchel.settings.{each.name}" for each in module.body if isinstance(each, ast.ClassDef)}
    for each in ast.walk(code):
        if isinstance(each, ast.Name) and each.id in (known := imports | local):
            yield known[each.id]
        elif isinstance(each, ast.ImportFrom) and str(each.module).startswith("satchel.entrypoints"):
            yield from (f"{each.module}.{alias.name}" for alias in each.names)
        elif isinstance(each, ast.Attribute) and (base := _base(each.value, owner)):
            yield f"{base}.{each.attr}"


def _base(value: ast.expr, owner: str) -> str | None:
    """Return the class of the object that an expression denotes, judged by its last name."""
    match value:
        case ast.Call(func=function):
            return _base(function, owner)
        case ast.Name(id="self"):
            return owner if owner in _MODULES else None
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return _ROOTS.get(name)
    return None
