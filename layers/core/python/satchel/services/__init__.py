"""The use cases: one class for each, named by a verb, in one package for each subject.

Each is a frozen dataclass of the ports that it needs, and is called like a function. Called by ``entrypoints`` through
``use_cases``; imports ``ports``, ``domain`` and ``contract``.
"""
