"""Synthesize the stacks into ``cdk.out``: run ``python app.py``, ``cdk synth`` or ``cdk deploy`` (cdk calls it)."""

import os

from infra.application import synthesize

if __name__ == "__main__":
    # The cdk command sets CDK_OUTDIR. If this file runs without cdk, use the folder where cdk looks for templates.
    synthesize(os.environ.get("CDK_OUTDIR", "cdk.out"), {}, checks=True)
