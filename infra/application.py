"""The stacks of one deployment, put together."""

from typing import NamedTuple

from aws_cdk import App

from infra.settings import Settings
from infra.stacks.data import DataStack
from infra.stacks.service import ServiceStack


class Stacks(NamedTuple):
    """What ``compose`` makes; the service needs the data, never the other way round."""

    data: DataStack
    service: ServiceStack


def compose(app: App) -> Stacks:
    """Make both stacks by the app's context. They are of no account and region: nothing is looked up at AWS.

    Raises ValidationError for a context value that does not fit, or for an mcp.json that cannot be deployed.
    """
    settings = Settings.from_context(app.node.try_get_context)
    data = DataStack(app, f"{settings.name}-data", settings=settings)
    return Stacks(data, ServiceStack(app, f"{settings.name}-service", settings=settings, data=data))
