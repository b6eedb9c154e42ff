"""Contents of the Lambda layers, built on this machine with uv and Python's own compiler, without Docker.

Nothing here imports aws_cdk: ``constructs.layers`` makes layers from it, ``sizes`` measures them, and tests read them.
"""
