"""The use cases, one a module, named by verb, in a folder for each thing that they are about.

Each is a frozen dataclass of the ports that it needs, and is called. Called by ``bootstrap`` and ``entrypoints``;
imports ``ports``, ``domain`` and ``contract``.
"""
