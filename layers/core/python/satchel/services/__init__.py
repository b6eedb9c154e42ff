"""The use cases of Satchel, for example ``StartTurn``: one class for each use case, in one package for each subject.

Each class is a frozen dataclass whose fields are the ports that the use case needs; an instance is called like a
function. ``entrypoints`` calls them through ``use_cases``. They import ``ports``, ``domain`` and ``contract``.
"""
