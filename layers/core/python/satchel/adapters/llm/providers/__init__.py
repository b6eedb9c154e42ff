"""The providers: ``{provider}.py`` for names ``{provider}:…``, imported when the first such model is asked.

Each has one function, ``connect(wanted: Wanted) -> Connection``. To add one: docs/models.md.
"""
