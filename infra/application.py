"""The two stacks of a deployment, created from CDK context."""

from collections.abc import Mapping
from typing import NamedTuple

from aws_cdk import App, Validations
from cdk_nag import AwsSolutionsChecks, ServerlessChecks

from infra.settings import Settings
from infra.stacks.data import DataStack
from infra.stacks.service import ServiceStack

_FLAGS = {
    # Keeps CDK from deleting data stack exports that the service stack uses. Set in case CDK's default changes.
    "@aws-cdk/core:defaultCrossStackReferences": "strong",
    # Deliver access logs by bucket policy: the buckets have no access control lists.
    "@aws-cdk/aws-s3:serverAccessLogsUseBucketPolicy": True,
}


class Stacks(NamedTuple):
    """The stacks of a deployment. The service stack references the data stack, never the reverse."""

    data: DataStack
    service: ServiceStack


def compose(app: App) -> Stacks:
    """Create both stacks from the app's context, without an account or region: synthesis makes no AWS requests.

    Raises ValidationError for an invalid context value or mcp.json, UndeployableError for a server that cannot run.
    """
    settings = Settings.from_context(app.node.try_get_context)
    data = DataStack(app, f"{settings.name}-data", settings=settings)
    return Stacks(data, ServiceStack(app, f"{settings.name}-service", settings=settings, data=data))


def synthesize(outdir: str, context: Mapping[str, object], *, checks: bool) -> None:
    """Write the templates. With ``checks``, cdk-nag findings that no construct acknowledges are errors.

    Raises what ``compose`` raises, and JSIIError for findings.
    """
    app = App(outdir=outdir, analytics_reporting=False, context={**_FLAGS, **context})
    compose(app)
    if checks:
        Validations.of(app).add_plugins(AwsSolutionsChecks(app), ServerlessChecks(app))
    app.synth()
