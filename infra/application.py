"""The CDK app: create the two stacks of a deployment from the CDK context, and synthesize their templates."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from aws_cdk import App, Validations
from cdk_nag import AwsSolutionsChecks, ServerlessChecks

from infra.function_sizes import check_sizes
from infra.settings import Settings
from infra.stacks.data import DataStack
from infra.stacks.service import ServiceStack
from infra.variables import check_variables

FLAGS = {
    # Use strong references, so that CDK never removes a data stack export that the deployed service stack still uses.
    "@aws-cdk/core:defaultCrossStackReferences": "strong",
    # Let S3 write access logs through a bucket policy, because the log bucket does not accept access control lists.
    "@aws-cdk/aws-s3:serverAccessLogsUseBucketPolicy": True,
}


class Stacks(NamedTuple):
    """The two stacks of a deployment. The service stack references the data stack, never the reverse."""

    data: DataStack
    service: ServiceStack


def compose(app: App) -> Stacks:
    """Create the data and service stacks from CDK context. They name no account, so synthesis calls no AWS API.

    Raise UnknownSettingError for a context key that is not a setting, ValidationError for an invalid value, and
    UndeployableError for an invalid mcp.json or a server that cannot run.
    """
    settings = Settings.from_context(app.node.get_all_context())
    data = DataStack(app, f"{settings.name}-data", settings=settings)
    return Stacks(data, ServiceStack(app, f"{settings.name}-service", settings=settings, data=data))


def synthesize(outdir: str, context: Mapping[str, object], *, checks: bool) -> None:
    """Write the CloudFormation templates. If ``checks`` is True, also check them with cdk-nag (a policy checker).

    Raise the errors of ``compose``, VariablesTooLargeError if a function has too many variables, FunctionTooLargeError
    if its code and layers are too large, and JSIIError if cdk-nag has findings that are not acknowledged.
    """
    app = App(outdir=outdir, analytics_reporting=False, context={**FLAGS, **context})
    compose(app)
    if checks:
        Validations.of(app).add_plugins(AwsSolutionsChecks(app), ServerlessChecks(app))
    for stack in app.synth().stacks:
        template = Path(stack.template_full_path)
        check_variables(json.loads(template.read_text(encoding="utf-8")))
        check_sizes(template)
