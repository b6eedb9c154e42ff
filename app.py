"""Synthesise the stacks into ``cdk.out``: ``python app.py``, or by the CDK's own ``cdk synth`` and ``cdk deploy``."""

import os

from infra.application import synthesise

if __name__ == "__main__":
    # The command line tool says where it wants the templates; without it they lie where it would look for them.
    synthesise(os.environ.get("CDK_OUTDIR", "cdk.out"), {}, checks=True)
