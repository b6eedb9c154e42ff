"""What belongs to Lambda's functions."""

from tests.infra.deployment.types.kind import Client, Kind, Made, Properties


def _asynchronous(properties: Properties, name: str, client: Client) -> Made:
    numbers = {
        key: int(properties[key]) for key in ("MaximumRetryAttempts", "MaximumEventAgeInSeconds") if key in properties
    }
    client("lambda").put_function_event_invoke_config(
        FunctionName=properties["FunctionName"],
        DestinationConfig=properties.get("DestinationConfig", {}),
        **numbers,
    )
    return Made(name)


def _alias(properties: Properties, _name: str, client: Client) -> Made:
    alias = client("lambda").create_alias(
        FunctionName=properties["FunctionName"], FunctionVersion=properties["FunctionVersion"], Name=properties["Name"]
    )
    return Made(alias["AliasArn"], {"AliasArn": alias["AliasArn"]})


KINDS = (
    Kind("AWS::Lambda::EventInvokeConfig", _asynchronous),
    Kind("AWS::Lambda::Alias", _alias, ("AliasArn",)),
)
