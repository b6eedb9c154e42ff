"""Three programs for the developer's machine; they may import ``satchel``, ``functions`` and ``infra``.

``emulator`` runs all of Satchel without AWS, ``cli`` is the ``satchel`` command, ``lint`` checks the results of tools.
"""
