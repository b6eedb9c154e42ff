"""Three programs for the developer's machine. Each may import ``satchel``, ``functions`` and ``infra``.

``emulator`` runs all of Satchel without AWS, ``cli`` is the ``satchel`` command, and ``lint`` checks what tools return.
"""
