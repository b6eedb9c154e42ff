"""Three programs for the developer's machine. All of them may import ``satchel``, ``functions`` and ``infra``.

``emulator`` runs all of Satchel without AWS, ``cli`` is the ``satchel`` command, ``lint`` checks tool outputs.
"""
