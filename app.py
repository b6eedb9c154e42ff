"""Synthesise the stacks into ``cdk.out``: ``python app.py``, or by the CDK's own ``cdk synth`` and ``cdk deploy``."""

import os

from aws_cdk import App

from infra.application import compose

# The data stack cannot lose what the service stack reads; naming CDK's default keeps it from changing under us.
_FLAGS = {"@aws-cdk/core:defaultCrossStackReferences": "strong"}

if __name__ == "__main__":
    # The command line tool says where it wants the templates; without it they lie where it would look for them.
    app = App(outdir=os.environ.get("CDK_OUTDIR", "cdk.out"), analytics_reporting=False, context=_FLAGS)
    compose(app)
    app.synth()
