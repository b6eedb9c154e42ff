"""Each function gets the variables without a default that its settings require, and none that it does not read."""

import pytest

from satchel import settings
from satchel.settings import SettingsGroup
from tests.infra.function_settings import reachable_nodes, settings_of
from tests.infra.synthesis import EXISTING
from tests.infra.templates import Stacks

pytestmark = pytest.mark.synth
DEPLOYMENTS = ("stacks", "custom_servers", "custom_settings", "without_site")

RESOURCE_SETTINGS = {
    "table": "AWS::DynamoDB::Table",
    "bucket": "AWS::S3::Bucket",
    "page_bucket": "AWS::S3::Bucket",
    "state_machine": "AWS::StepFunctions::StateMachine",
    "capability_secret": "AWS::SecretsManager::Secret",
    "dashboard_keys": "AWS::KMS::Key",
    "call_role": "AWS::IAM::Role",
    "erase_function": "AWS::Lambda::Function",
    "end_session_function": "AWS::Lambda::Function",
    "refresh_function": "AWS::Lambda::Function",
    "think_function": "AWS::Lambda::Function",
}
"""Settings that name a resource, with the type of the resource. With SnapStart, Think is an alias of the function."""

OF_FINISH_AND_THINK = {(function, "state_machine") for function in ("Finish", "Think")}
"""Settings with an ARN made of the machine's name, because the machine refers to these functions."""

OTHER_REQUIRED_SETTINGS = {
    "mcp_config",
    "page_folder",
    "page_config",
    "page_headers",
    "remote_runner",
    "runner_prefix",
    "socket_endpoint",
    "socket_url",
}
"""Settings without a default that are paths, URLs and the like. Other tests check their values."""


def _variable(field: str) -> str:
    return f"SATCHEL_{field.upper()}"


@pytest.fixture(params=DEPLOYMENTS)
def deployment(request: pytest.FixtureRequest) -> Stacks:
    stacks: Stacks = request.getfixturevalue(request.param)
    return stacks


def test_functions_get_all_required_variables(deployment: Stacks) -> None:
    folders = deployment.folders()
    missing = {
        function: {
            _variable(name)
            for kind in settings_of(folder)
            for name, field in kind.model_fields.items()
            if field.is_required() and _variable(name) not in deployment.environment(function)
        }
        for function, folder in folders.items()
    }
    assert missing == {function: set() for function in folders}


def test_functions_get_no_variable_that_they_do_not_read(deployment: Stacks) -> None:
    folders = deployment.folders()
    unread = {
        function: deployment.environment(function).keys()
        - {_variable(name) for kind in settings_of(folder) for name in kind.model_fields}
        for function, folder in folders.items()
    }
    assert unread == {function: set() for function in folders}


def test_variables_name_resources_of_the_expected_type(deployment: Stacks) -> None:
    values = {
        (function, name): deployment.environment(function)[_variable(name)].partition(",")[0]
        for function in deployment.functions()
        for name in RESOURCE_SETTINGS
        if _variable(name) in deployment.environment(function)
    }
    existing = set(EXISTING.values()) | {"kept-records"}
    (machine,) = deployment.properties("AWS::StepFunctions::StateMachine").values()
    assert {values.pop(each).rpartition(":stateMachine:")[2] for each in OF_FINISH_AND_THINK} == {
        machine["StateMachineName"]
    }
    types = {each: deployment.type_of(value) for each, value in values.items() if value not in existing}
    assert len(values) > 30
    uses_alias = types["Api", "think_function"] == "AWS::Lambda::Alias"
    assert uses_alias is any("SnapStart" in each for each in deployment.functions().values())
    expected = RESOURCE_SETTINGS | ({"think_function": "AWS::Lambda::Alias"} if uses_alias else {})
    assert types == {(function, name): expected[name] for function, name in types}


def test_every_required_setting_is_classified_in_this_module() -> None:
    kinds = [kind for kind in vars(settings).values() if isinstance(kind, type) and issubclass(kind, SettingsGroup)]
    required = {name for kind in kinds for name, field in kind.model_fields.items() if field.is_required()}
    assert required == RESOURCE_SETTINGS.keys() | OTHER_REQUIRED_SETTINGS


def test_api_authenticates_by_token(deployment: Stacks) -> None:
    assert deployment.environment("Api")["SATCHEL_AUTH"] == "jwt"


def test_public_url_is_the_url_of_the_page(stacks: Stacks, custom_settings: Stacks) -> None:
    for function in ("Api", "Dispatch"):
        assert stacks.environment(function)["SATCHEL_PUBLIC_URL"] == "https://{SiteDistribution.DomainName}"
        assert custom_settings.environment(function)["SATCHEL_PUBLIC_URL"] == "https://chat.example.com"


def test_analysis_finds_the_settings_of_nested_use_cases() -> None:
    assert settings.RunnersSettings in settings_of("dispatch"), "through AwsPorts.runners"
    assert settings.AuditSettings in settings_of("api"), "through the HTTP routers"
    assert settings.CompletionSettings in settings_of("think"), "through bootstrap.language_models"
    assert "AwsPorts.signer" not in reachable_nodes("finish")
