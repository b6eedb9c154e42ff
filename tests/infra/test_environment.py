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
DEPLOYMENTS = ("stacks", "own_servers", "choices")

NAMES = {
    "table": "AWS::DynamoDB::Table",
    "bucket": "AWS::S3::Bucket",
    "page_bucket": "AWS::S3::Bucket",
    "state_machine": "AWS::StepFunctions::StateMachine",
    "capability_secret": "AWS::SecretsManager::Secret",
    "call_role": "AWS::IAM::Role",
    "erase_function": "AWS::Lambda::Function",
    "end_session_function": "AWS::Lambda::Function",
}
"""Settings that name a resource, and of which type it is."""

SAYS_ITSELF = {
    "mcp_config",
    "page_folder",
    "page_config",
    "remote_runner",
    "runner_prefix",
    "socket_endpoint",
    "socket_url",
}
"""Settings without a default that are paths, addresses and the like: other tests look at what they say."""


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


def _settings_of(folder: str) -> set[type[Settings]]:
    return _read_by(BOOTSTRAP / f"{folder}.py") | _read_by(BOOTSTRAP / "observed.py")


def _variable(field: str) -> str:
    return f"SATCHEL_{field.upper()}"


@pytest.fixture(params=DEPLOYMENTS)
def deployment(request: pytest.FixtureRequest) -> Stacks:
    made: Stacks = request.getfixturevalue(request.param)
    return made


def test_every_function_is_given_what_its_settings_need(deployment: Stacks) -> None:
    folders = deployment.folders()
    missing = {
        function: {
            _variable(name)
            for kind in _settings_of(folder)
            for name, field in kind.model_fields.items()
            if field.is_required() and _variable(name) not in deployment.environment(function)
        }
        for function, folder in folders.items()
    }
    assert missing == {function: set() for function in folders}


def test_no_function_is_given_anything_that_it_does_not_read(deployment: Stacks) -> None:
    folders = deployment.folders()
    unread = {
        function: deployment.environment(function).keys()
        - {_variable(name) for kind in _settings_of(folder) for name in kind.model_fields}
        for function, folder in folders.items()
    }
    assert unread == {function: set() for function in folders}


def test_what_is_named_is_there(deployment: Stacks) -> None:
    found = {
        (function, name): deployment.kind(deployment.environment(function)[_variable(name)])
        for function in deployment.functions()
        for name in NAMES
        if _variable(name) in deployment.environment(function)
    }
    assert len(found) > 30
    assert found == {(function, name): NAMES[name] for function, name in found}


def test_of_every_setting_without_a_default_it_is_known_whether_it_names_a_resource() -> None:
    kinds = [kind for kind in vars(settings).values() if isinstance(kind, type) and issubclass(kind, Settings)]
    required = {name for kind in kinds for name, field in kind.model_fields.items() if field.is_required()}
    assert required == NAMES.keys() | SAYS_ITSELF


def test_strangers_sign_in_with_tokens_and_never_with_headers(deployment: Stacks) -> None:
    assert deployment.environment("Api")["SATCHEL_AUTH"] == "jwt"


def test_everybody_is_told_the_address_of_the_page(stacks: Stacks, choices: Stacks) -> None:
    for function in ("Api", "Dispatch"):
        assert stacks.environment(function)["SATCHEL_PUBLIC_URL"] == "https://{SiteDistribution.DomainName}"
        assert choices.environment(function)["SATCHEL_PUBLIC_URL"] == "https://chat.example.com"
