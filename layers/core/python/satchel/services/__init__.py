"""The use cases of Satchel, for example ``StartTurn``: one class for each use case, in one package for each subject.

Each class is a frozen dataclass. Its fields are the ports (interfaces to the outside) that the use case needs, and its
instances are called like functions. The module ``use_cases`` creates the instances, and ``entrypoints`` calls them.
"""
