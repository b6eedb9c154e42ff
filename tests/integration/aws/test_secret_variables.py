"""Variables of a server's entry from the environment and Secrets Manager."""

import logging
from pathlib import Path

import boto3
import pytest
from aws_lambda_powertools.utilities.parameters import SecretsProvider

from satchel.adapters.secret_variables import SecretVariables
from satchel.adapters.server_config import ConfigError, resolve_variables
from satchel.domain.servers import ServerEntry
from tests.integration.aws.factories import new_user

MCP = Path("/opt/servers/mcp.json")
ENTRY = ServerEntry(url="https://${HOST}/mcp", auth_token="${TOKEN}")


@pytest.fixture
def variables() -> SecretVariables:
    """A source with HOST in the environment and TOKEN in a secret."""
    client = boto3.client("secretsmanager")
    prefix = f"{new_user()}/"
    client.create_secret(Name=f"{prefix}TOKEN", SecretString="t0ken")
    return SecretVariables({"HOST": "tools.example"}, prefix, SecretsProvider(boto3_client=client))


def test_variables_come_from_the_environment_or_a_secret(variables: SecretVariables) -> None:
    entry = resolve_variables(MCP, "remote", ENTRY, variables)
    assert (entry.url, entry.auth_token) == ("https://tools.example/mcp", "t0ken")


def test_environment_overrides_the_secret(variables: SecretVariables) -> None:
    variables = SecretVariables({"TOKEN": "another"}, variables.prefix, variables.secrets)
    assert variables("TOKEN") == "another"


def test_secret_is_cached(variables: SecretVariables) -> None:
    assert variables("TOKEN") == "t0ken"
    boto3.client("secretsmanager").delete_secret(SecretId=f"{variables.prefix}TOKEN", ForceDeleteWithoutRecovery=True)
    assert variables("TOKEN") == "t0ken"


def test_error_names_server_key_variable_and_secret(variables: SecretVariables) -> None:
    entry = ENTRY.model_copy(update={"auth_token": "${NOPE}"})
    with pytest.raises(ConfigError) as raised:
        resolve_variables(MCP, "remote", entry, variables)
    message = (
        f"{MCP}: server 'remote': auth_token: the variable NOPE is not set, and the secret '{variables.prefix}NOPE'"
    )
    assert str(raised.value).startswith(message)


def test_no_value_is_logged(variables: SecretVariables, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        resolve_variables(MCP, "remote", ENTRY, variables)
    assert "t0ken" not in caplog.text
