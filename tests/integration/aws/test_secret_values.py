"""Values of a server's variables out of Secrets Manager, for its runner alone."""

import logging
from pathlib import Path

import boto3
import pytest
from aws_lambda_powertools.utilities.parameters import SecretsProvider

from satchel.adapters.secret_values import SecretValues
from satchel.adapters.server_config import ConfigError, filled
from satchel.domain.servers import ServerEntry
from tests.integration.aws.makers import someone

MCP = Path("/opt/servers/mcp.json")
FAR = ServerEntry(url="https://${HOST}/mcp", auth_token="${TOKEN}")


@pytest.fixture
def values() -> SecretValues:
    """The host stands in the environment, the token in a secret."""
    client = boto3.client("secretsmanager")
    prefix = f"{someone()}/"
    client.create_secret(Name=f"{prefix}TOKEN", SecretString="t0ken")
    return SecretValues({"HOST": "tools.example"}, prefix, SecretsProvider(boto3_client=client))


def test_a_variable_is_filled_in_from_the_environment_or_its_secret(values: SecretValues) -> None:
    entry = filled(MCP, "far", FAR, values)
    assert (entry.url, entry.auth_token) == ("https://tools.example/mcp", "t0ken")


def test_the_environment_comes_first(values: SecretValues) -> None:
    values = SecretValues({"TOKEN": "another"}, values.prefix, values.secrets)
    assert values("TOKEN") == "another"


def test_a_secret_is_not_asked_for_again_with_each_call(values: SecretValues) -> None:
    assert values("TOKEN") == "t0ken"
    boto3.client("secretsmanager").delete_secret(SecretId=f"{values.prefix}TOKEN", ForceDeleteWithoutRecovery=True)
    assert values("TOKEN") == "t0ken"


def test_a_variable_without_a_value_is_named_with_server_key_and_secret(values: SecretValues) -> None:
    entry = FAR.model_copy(update={"auth_token": "${NOPE}"})
    with pytest.raises(ConfigError) as raised:
        filled(MCP, "far", entry, values)
    said = f"{MCP}: server 'far': auth_token: the variable NOPE is not set, and the secret '{values.prefix}NOPE'"
    assert str(raised.value).startswith(said)


def test_no_value_is_logged(values: SecretValues, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        filled(MCP, "far", FAR, values)
    assert "t0ken" not in caplog.text
