"""One module per provider: ``{provider}.py`` for model names ``{provider}:…``, imported on the first request to it.

Each module has one function, ``connect(options: ModelOptions) -> ModelConnection``. docs/models.md says how to add one.
"""
