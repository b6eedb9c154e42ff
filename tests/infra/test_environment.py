"""Each function is given the variables that its settings read: all without a default, and none that nobody reads."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.sources import CORE
from satchel import settings
from satchel.settings import Settings
from tests.infra.templates import Stacks

pytestmark = pytest.mark.synth
BOOTSTRAP = CORE / "python" / "satchel" / "bootstrap"
MODULES = {
    "Api": "api",
    "Think": "think",
    "Approval": "approval",
    "Dispatch": "dispatch",
    "Normalize": "normalize",
    "Finish": "finish",
    "Sockets": "sockets",
    "Push": "push",
    "Refresh": "refresh",
    "Endsession": "end_session",
    "Expire": "expire",
    "Erase": "erase",
    "Runreport": "run_tool",
}
RESOURCES = {
    "SATCHEL_TABLE": "{Records}",
    "SATCHEL_BUCKET": "{Files}",
    "SATCHEL_STATE_MACHINE": "{TurnMachine}",
    "SATCHEL_CAPABILITY_SECRET": "{CapabilityKey}",
    "SATCHEL_CALL_ROLE": "{CallRole.Arn}",
    "SATCHEL_ERASE_FUNCTION": "{Erase}",
    "SATCHEL_PUBLIC_URL": "{WebHttp.ApiEndpoint}",
}


def _imports(module: Path) -> Iterator[ast.ImportFrom]:
    tree = ast.parse(module.read_text(encoding="utf-8"))
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))


def _read_by(module: Path) -> set[type[Settings]]:
    """Return the settings that a bootstrap module names, with those of the bootstrap modules that it uses."""
    found: set[type[Settings]] = set()
    for node in _imports(module):
        package, _, name = str(node.module).rpartition(".")
        if node.module == "satchel.settings":
            found |= {getattr(settings, alias.name) for alias in node.names}
        if package == "satchel.bootstrap":
            found |= _read_by(BOOTSTRAP / f"{name}.py")
    return found


@pytest.mark.parametrize(("function", "module"), MODULES.items())
def test_a_function_is_given_what_its_settings_need(stacks: Stacks, function: str, module: str) -> None:
    fields = [item for kind in _read_by(BOOTSTRAP / f"{module}.py") for item in kind.model_fields.items()]
    needed = {f"SATCHEL_{name.upper()}" for name, field in fields if field.is_required()}
    assert needed >= {"SATCHEL_TABLE", "SATCHEL_BUCKET"}
    assert needed - stacks.environment(function).keys() == set()


@pytest.mark.parametrize(("function", "module"), MODULES.items())
def test_a_function_is_given_nothing_that_it_does_not_read(stacks: Stacks, function: str, module: str) -> None:
    known = {f"SATCHEL_{name.upper()}" for kind in _read_by(BOOTSTRAP / f"{module}.py") for name in kind.model_fields}
    assert stacks.environment(function).keys() - known == set()


@pytest.mark.parametrize("function", MODULES)
def test_what_settings_name_is_there(stacks: Stacks, function: str) -> None:
    given = stacks.environment(function)
    assert {key: value for key, value in given.items() if key in RESOURCES} == {
        key: value for key, value in RESOURCES.items() if key in given
    }


def test_strangers_sign_in_with_tokens_and_never_with_headers(stacks: Stacks) -> None:
    assert stacks.environment("Api")["SATCHEL_AUTH"] == "jwt"
