"""The stacks of one deployment, put together."""

from collections.abc import Mapping
from typing import NamedTuple

from aws_cdk import App, Validations
from cdk_nag import AwsSolutionsChecks, ServerlessChecks

from infra.settings import Settings
from infra.stacks.data import DataStack
from infra.stacks.service import ServiceStack

_FLAGS = {
    # The data stack cannot lose what the service stack reads; naming CDK's default keeps it from changing under us.
    "@aws-cdk/core:defaultCrossStackReferences": "strong",
    # Buckets have no access control lists.
    "@aws-cdk/aws-s3:serverAccessLogsUseBucketPolicy": True,
}


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


def synthesise(outdir: str, context: Mapping[str, object], *, checks: bool) -> None:
    """Write the templates. With ``checks``, findings of cdk-nag that nobody acknowledged are errors, too.

    Raises what ``compose`` raises, and JSIIError for what the checks find.
    """
    app = App(outdir=outdir, analytics_reporting=False, context={**_FLAGS, **context})
    compose(app)
    if checks:
        Validations.of(app).add_plugins(AwsSolutionsChecks(app), ServerlessChecks(app))
    app.synth()
