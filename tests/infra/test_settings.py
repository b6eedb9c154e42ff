"""Deployment settings: parsing, validation errors, effect on the templates, and docs/deployment-settings.md."""

import json

import pytest
from pydantic import ValidationError

from infra import limits, settings_table
from infra.packing.platform import Platform
from infra.settings import Settings, UnknownSettingError
from tests.infra.templates import Stacks

CERTIFICATE = "arn:aws:acm:us-east-1:123456789012:certificate/one"


def test_all_settings_have_defaults() -> None:
    settings = Settings.from_context({})
    assert settings == Settings()
    assert (settings.architecture, settings.removal_policy, settings.runner_prefix) == (
        "arm64",
        "retain",
        "satchel-run-",
    )


def test_lists_are_parsed_from_text() -> None:
    context = {
        "jwt_issuer": "https://issuer.example",
        "jwt_audience": "web,cli",
        "web_origins": ["https://chat.example"],
    }
    settings = Settings.from_context(context)
    assert settings.jwt_audience == ["web", "cli"]
    assert settings.web_origins == ["https://chat.example"]


def test_allowed_models_are_the_default_and_the_listed_ones() -> None:
    models = [{"name": "careful", "model": "bedrock:large"}, {"name": "quick", "model": "openai-chat:small"}]
    assert Settings().allowed_models == []
    assert Settings(model="bedrock:large").allowed_models == ["bedrock:large"]
    assert Settings.model_validate({"models": models}).allowed_models == ["bedrock:large", "openai-chat:small"]
    with_default = Settings.model_validate({"model": "quick", "models": models})
    assert with_default.allowed_models == ["openai-chat:small", "bedrock:large"]
    assert Settings().model_choice_environment == {}


@pytest.mark.parametrize(
    ("context", "message"),
    [
        ({"architecture": "sparc"}, "architecture"),
        ({"removal_policy": "snapshot"}, "removal_policy"),
        ({"name": "Satchel_1"}, "name"),
        ({"max_rounds": "100"}, "max_rounds"),
        ({"models": "[{"}, "models"),
        ({"models": '[{"name": "a"}]'}, "models.0.model"),
        ({"models": '[{"name": "a", "model": "b", "group": "c"}]'}, "models.0.group"),
        ({"context_tokens": "10"}, "context_tokens"),
        ({"base64_size_limit_mb": "-1"}, "base64_size_limit_mb"),
        ({"max_file_size_bytes": "0"}, "max_file_size_bytes"),
        ({"public_url": "chat.example"}, "public_url"),
        ({"canvas_origins": "https://dash.example,https://*.example"}, "canvas_origins.1"),
        ({"canvas_origins": "https://dash.example/view"}, "canvas_origins.0"),
        ({"jwt_issuer": "https://issuer.example"}, "set jwt_issuer and jwt_audience together"),
        ({"violation_policy": "ignore"}, "violation_policy"),
        ({"min_isolation": "vm"}, "min_isolation\n.*'process' or 'kernel'"),
        ({"min_isolation": "kernel"}, "min_isolation\n.*Lambda's kernel has no Landlock"),
        ({"jwt_audience": "web"}, "set jwt_issuer and jwt_audience together"),
        ({"domain": "chat.example.com"}, "set domain and certificate_arn together"),
        ({"domain": "https://chat.example.com"}, "domain"),
        ({"certificate_arn": "arn:aws:acm:eu-central-1:1:certificate/x"}, "certificate_arn"),
        ({"log_retention": "31"}, "log_retention"),
        ({"audit_days": "0"}, "audit_days"),
        ({"runner_disk_mib": "10241"}, "runner_disk_mib"),
        ({"reserved_concurrency": "nothing=5"}, "unknown function nothing; the functions are api, bridge"),
        ({"reserved_concurrency": "bridge=5"}, "a function that only the setting bridge adds"),
        ({"reserved_concurrency": "api=many"}, "reserved_concurrency.api"),
        ({"reserved_concurrency": "run_tool=39"}, "with run_tool=39, only 97 users .*: reserve at least 40"),
        ({"requests_per_second": "0"}, "requests_per_second"),
        ({"alarm_email": "no-address"}, "alarm_email"),
        ({"python": "3.10"}, "python"),
        ({"python": "3.11", "snap_start": "true"}, "snap_start needs Python 3.12 or newer"),
        ({"groups": "a b"}, "groups.0"),
        ({"name": "aws-chat"}, "name contains 'aws', which Cognito refuses"),
        ({"name": "my-cognito"}, "name contains 'cognito', which Cognito refuses"),
        ({"existing_table": "records"}, "existing_table"),
        (
            {"existing_user_pool": "eu-central-1_a", "groups": "staff"},
            "existing_user_pool cannot be combined with groups",
        ),
        ({"existing_sign_in_page": "https://a.example"}, "existing_sign_in_page belongs to existing_user_pool"),
        ({"site": "none", "domain": "a.example", "certificate_arn": CERTIFICATE}, "domain is a name of CloudFront"),
        (
            {"groups": "staff", "jwt_issuer": "https://i.example", "jwt_audience": "web"},
            "groups are created in the user pool",
        ),
    ],
)
def test_invalid_setting_is_rejected_by_name(context: dict[str, str], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Settings.from_context(context)


@pytest.mark.parametrize(
    ("context", "message"),
    [
        ({"nmae": "team"}, "unknown setting 'nmae': did you mean 'name'?"),
        ({"zzz": ""}, "unknown setting 'zzz': docs/deployment-settings.md lists all settings"),
        (
            {"max_round": 1, "Model": "m"},
            "unknown setting 'Model': did you mean 'model'?\n.*'max_round': .* 'max_rounds'",
        ),
    ],
)
def test_unknown_setting_is_rejected_with_the_most_similar_name(context: dict[str, object], message: str) -> None:
    with pytest.raises(UnknownSettingError, match=message.replace("?", r"\?")):
        Settings.from_context(context)


def test_context_of_cdk_itself_is_no_setting() -> None:
    context = {
        "@aws-cdk/core:stackRelativeExports": True,
        "aws:cdk:bundling-stacks": [],
        "availability-zones:account=1:region=us-east-1": ["us-east-1a"],
    }
    assert Settings.from_context(context) == Settings()


def test_reserved_word_in_the_name_is_allowed_with_an_external_issuer() -> None:
    settings = Settings(name="aws-chat", jwt_issuer="https://issuer.example", jwt_audience=["web"])
    assert settings.name == "aws-chat"


def test_platform_defaults_to_the_building_python() -> None:
    assert Settings().platform == Platform("arm64")
    assert Settings(python="3.13").platform == Platform("arm64", 13)


def test_mappings_and_numbers_are_parsed_from_text() -> None:
    settings = Settings.from_context({"reserved_concurrency": "api=50,run_tool=40", "log_retention": "14"})
    assert settings.reserved_concurrency == {"api": 50, "run_tool": 40}
    assert settings.log_retention == 14


def test_two_lost_heartbeats_are_tolerated_and_1000_tools_stay_within_the_quota() -> None:
    """The smallest refill rate of SendTaskHeartbeat is 300 a second (docs/deploy.md)."""
    assert limits.HEARTBEAT_TIMEOUT_SECONDS > 3 * limits.HEARTBEAT_INTERVAL_SECONDS
    assert 1000 / limits.HEARTBEAT_INTERVAL_SECONDS <= 300 / 2


@pytest.mark.synth
@pytest.mark.clause("v2.1:size-limit:configured")
def test_settings_reach_the_templates(custom_settings: Stacks) -> None:
    stacks = custom_settings
    assert {tuple(function["Architectures"]) for function in stacks.functions().values()} == {("x86_64",)}
    assert stacks.environment("Dispatch")["SATCHEL_PUBLIC_URL"] == "https://chat.example.com"
    for function in ("Api", "Dispatch"):
        listed = stacks.environment(function)["SATCHEL_CANVAS_ORIGINS"]
        assert listed == "https://dash.example,https://metrics.example:8443"
    assert stacks.environment("Dispatch")["SATCHEL_RUNNER_PREFIX"] == "team-run-"
    assert stacks.environment("Think")["SATCHEL_MAX_ROUNDS"] == "12"
    assert stacks.environment("Think")["SATCHEL_INSTRUCTIONS"] == "Be brief."
    for function in ("Api", "Think"):
        assert stacks.environment(function)["SATCHEL_CONTEXT_TOKENS"] == "50000"
        assert stacks.environment(function)["SATCHEL_MODEL"] == "careful"
        assert [each["name"] for each in json.loads(stacks.environment(function)["SATCHEL_MODELS"])] == [
            "careful",
            "quick",
        ]
    model_variables = {
        name: value for name, value in stacks.environment("Think").items() if name.startswith("SATCHEL_MODEL_")
    }
    assert model_variables == {
        "SATCHEL_MODEL_TEMPERATURE": "0.2",
        "SATCHEL_MODEL_MAX_TOKENS": "4096",
        "SATCHEL_MODEL_SILENCE_SECONDS": "90",
        "SATCHEL_MODEL_SECONDS": "270",
    }
    assert stacks.environment("Api")["SATCHEL_BASE64_SIZE_LIMIT_MB"] == "2"
    for function in ("Api", "Runreport"):
        assert stacks.environment(function)["SATCHEL_MAX_FILE_SIZE_BYTES"] == "1000000"
    assert stacks.environment("Dispatch")["SATCHEL_USER_RUNNING_CALLS"] == "5"
    for function in ("Api", "Dispatch"):
        assert stacks.environment(function)["SATCHEL_USER_STORED_BYTES"] == "1000"
    assert stacks.environment("Api")["SATCHEL_USER_REQUESTS_PER_SECOND"] == "3"
    assert stacks.environment("Api")["SATCHEL_USER_OPEN_SESSIONS"] == "1000"
    assert stacks.environment("Runreport")["SATCHEL_MIN_ISOLATION"] == "process"
    assert stacks.environment("Runreport")["SATCHEL_VIOLATION_POLICY"] == "fail"
    assert stacks.resources("AWS::DynamoDB::Table")["Records"]["DeletionPolicy"] == "Delete"
    assert stacks.properties("AWS::Cognito::UserPoolClient") == {}
    (authorizer,) = stacks.properties("AWS::ApiGatewayV2::Authorizer").values()
    assert authorizer["JwtConfiguration"] == {"Issuer": "https://issuer.example", "Audience": ["web"]}
    (statement,) = (each for each in stacks.statements() if "bedrock:InvokeModelWithResponseStream" in each.actions)
    assert statement.role == "Think"
    model = "anthropic.claude-sonnet-4-5-20250929-v1:0"
    assert statement.resources == [
        f"arn:{{AWS::Partition}}:bedrock:*::foundation-model/{model}",
        f"arn:{{AWS::Partition}}:bedrock:{{AWS::Region}}:{{AWS::AccountId}}:inference-profile/us.{model}",
    ]


def test_settings_document_is_up_to_date() -> None:
    assert settings_table.DOCUMENT.read_text(encoding="utf-8") == settings_table.page(), (
        "update it: .venv/bin/python -m infra.settings_table"
    )


def test_every_setting_has_a_description() -> None:
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []
