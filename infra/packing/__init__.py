"""Build the contents of the Lambda layers on this machine with uv and Python's compiler, without Docker.

This package imports no aws_cdk: ``constructs.layers`` creates CDK layers from the contents, ``sizes`` measures them.
"""
