"""The model providers. ``{provider}.py`` serves model names ``{provider}:…`` and is imported on its first request.

Each module defines ``connect(options: ModelOptions) -> ModelConnection``. docs/models.md explains how to add one.
"""
