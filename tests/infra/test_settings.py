"""What a deployment may choose, and what it is told when it chooses wrongly."""

import json

import pytest
from pydantic import ValidationError

from infra import limits
from infra.packing.platform import Platform
from infra.settings import Settings
from tests.infra.templates import Stacks


def test_nothing_has_to_be_chosen() -> None:
    settings = Settings.from_context(lambda _: None)
    assert settings == Settings()
    assert (settings.architecture, settings.removal_policy, settings.runner_prefix) == (
        "arm64",
        "retain",
        "satchel-run-",
    )


def test_lists_may_be_given_as_text_since_the_command_line_knows_no_other() -> None:
    context = {
        "jwt_issuer": "https://issuer.example",
        "jwt_audience": "web,cli",
        "web_origins": ["https://chat.example"],
    }
    settings = Settings.from_context(context.get)
    assert settings.jwt_audience == ["web", "cli"]
    assert settings.web_origins == ["https://chat.example"]


def test_models_may_be_asked_that_are_named_by_themselves_or_in_the_list() -> None:
    listed = [{"name": "careful", "model": "bedrock:large"}, {"name": "quick", "model": "openai-chat:small"}]
    assert Settings().named_models == []
    assert Settings(model="bedrock:large").named_models == ["bedrock:large"]
    assert Settings.model_validate({"models": listed}).named_models == ["bedrock:large", "openai-chat:small"]
    chosen = Settings.model_validate({"model": "quick", "models": listed})
    assert chosen.named_models == ["openai-chat:small", "bedrock:large"]
    assert Settings().of_models == {}


@pytest.mark.parametrize(
    ("context", "said"),
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
        ({"jwt_issuer": "https://issuer.example"}, "give jwt_issuer and jwt_audience together"),
        ({"violation_policy": "ignore"}, "violation_policy"),
        ({"min_isolation": "vm"}, "min_isolation\n.*'process' or 'kernel'"),
        ({"min_isolation": "kernel"}, "min_isolation\n.*Lambda's kernel has no Landlock"),
        ({"jwt_audience": "web"}, "give jwt_issuer and jwt_audience together"),
        ({"domain": "chat.example.com"}, "give domain and certificate_arn together"),
        ({"domain": "https://chat.example.com"}, "domain"),
        ({"certificate_arn": "arn:aws:acm:eu-central-1:1:certificate/x"}, "certificate_arn"),
        ({"log_retention": "31"}, "log_retention"),
        ({"audit_days": "0"}, "audit_days"),
        ({"runner_disk_mib": "10241"}, "runner_disk_mib"),
        ({"reserved_concurrency": "nobody=5"}, "there is no function nobody; there are api, approval"),
        ({"reserved_concurrency": "api=many"}, "reserved_concurrency.api"),
        ({"requests_per_second": "0"}, "requests_per_second"),
        ({"alarm_email": "somebody"}, "alarm_email"),
        ({"python": "3.10"}, "python"),
        ({"python": "3.11", "snap_start": "true"}, "snap_start needs Python 3.12 or newer"),
        ({"groups": "a b"}, "groups.0"),
        ({"groups": "staff", "jwt_issuer": "https://i.example", "jwt_audience": "web"}, "that issuer says who is"),
    ],
)
def test_a_wrong_choice_is_named(context: dict[str, str], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Settings.from_context(context.get)


def test_the_python_that_builds_is_the_one_that_runs() -> None:
    assert Settings().platform == Platform("arm64")
    assert Settings(python="3.13").platform == Platform("arm64", 13)


def test_numbers_by_name_may_be_given_as_text_too() -> None:
    settings = Settings.from_context({"reserved_concurrency": "api=50,run_tool=20", "log_retention": "14"}.get)
    assert settings.reserved_concurrency == {"api": 50, "run_tool": 20}
    assert settings.log_retention == 14


def test_a_runner_beats_often_enough() -> None:
    assert limits.HEARTBEAT_SECONDS > 10 * limits.BEAT_SECONDS


@pytest.mark.synth
@pytest.mark.clause("v2.1:size-limit:configured")
def test_choices_reach_the_templates(choices: Stacks) -> None:
    stacks = choices
    assert {tuple(function["Architectures"]) for function in stacks.functions().values()} == {("x86_64",)}
    assert stacks.environment("Dispatch")["SATCHEL_PUBLIC_URL"] == "https://chat.example.com"
    for function in ("Api", "Normalize"):
        listed = stacks.environment(function)["SATCHEL_CANVAS_ORIGINS"]
        assert listed == "https://dash.example,https://metrics.example:8443"
    assert stacks.environment("Dispatch")["SATCHEL_RUNNER_PREFIX"] == "team-run-"
    assert stacks.environment("Think")["SATCHEL_MAX_ROUNDS"] == "12"
    assert stacks.environment("Think")["SATCHEL_CONTEXT_TOKENS"] == "50000"
    assert stacks.environment("Think")["SATCHEL_INSTRUCTIONS"] == "Be brief."
    for function in ("Api", "Think"):
        assert stacks.environment(function)["SATCHEL_MODEL"] == "careful"
        assert [each["name"] for each in json.loads(stacks.environment(function)["SATCHEL_MODELS"])] == [
            "careful",
            "quick",
        ]
    told = {name: value for name, value in stacks.environment("Think").items() if name.startswith("SATCHEL_MODEL_")}
    assert told == {
        "SATCHEL_MODEL_TEMPERATURE": "0.2",
        "SATCHEL_MODEL_MAX_TOKENS": "4096",
        "SATCHEL_MODEL_SILENCE_SECONDS": "90",
        "SATCHEL_MODEL_SECONDS": "270",
    }
    assert stacks.environment("Api")["SATCHEL_BASE64_SIZE_LIMIT_MB"] == "2"
    for function in ("Api", "Runreport"):
        assert stacks.environment(function)["SATCHEL_MAX_FILE_SIZE_BYTES"] == "1000000"
    assert stacks.environment("Runreport")["SATCHEL_MIN_ISOLATION"] == "process"
    assert stacks.environment("Runreport")["SATCHEL_VIOLATION_POLICY"] == "fail"
    assert stacks.resources("AWS::DynamoDB::Table")["Records"]["DeletionPolicy"] == "Delete"
    assert stacks.of_type("AWS::Cognito::UserPool") == {}
    (authorizer,) = stacks.of_type("AWS::ApiGatewayV2::Authorizer").values()
    assert authorizer["JwtConfiguration"] == {"Issuer": "https://issuer.example", "Audience": ["web"]}
    (asks,) = (each for each in stacks.statements() if "bedrock:InvokeModelWithResponseStream" in each.actions)
    assert asks.who == "Think"
    model = "anthropic.claude-sonnet-4-5-20250929-v1:0"
    assert asks.resources == [
        f"arn:{{AWS::Partition}}:bedrock:*::foundation-model/{model}",
        f"arn:{{AWS::Partition}}:bedrock:{{AWS::Region}}:{{AWS::AccountId}}:inference-profile/us.{model}",
    ]
