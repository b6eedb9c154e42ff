"""Synthesize the stacks. The cdk command runs this file (see ``cdk.json``) and passes settings and output folder."""

import os
import sys

# Only the cdk command reads the settings in cdk.json and its options -c. Without it, all settings would be ignored.
if "CDK_OUTDIR" not in os.environ:
    sys.exit("app.py gets its settings from the cdk command: run `make synth` or `npx cdk synth`")

from infra.application import synthesize

synthesize(os.environ["CDK_OUTDIR"], {}, checks=True)
