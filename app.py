"""Synthesize the stacks into ``cdk.out``: run ``python app.py``, or ``cdk synth`` and ``cdk deploy``, which call it."""

import os

from infra.application import synthesize

if __name__ == "__main__":
    # The cdk command sets the output folder. Without it, use the folder where cdk looks for templates by default.
    synthesize(os.environ.get("CDK_OUTDIR", "cdk.out"), {}, checks=True)
