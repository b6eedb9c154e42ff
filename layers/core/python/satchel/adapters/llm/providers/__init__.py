"""Connections to model providers. Module ``{provider}`` serves names ``{provider}:…`` and is imported on first use.

Each module defines ``connect(options: ModelOptions) -> ModelConnection``. docs/models.md explains how to add one.
"""
