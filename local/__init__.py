"""Programs for the developer's machine. ``emulator`` runs all of Satchel without AWS, ``cli`` is the ``satchel``
command, ``lint`` checks the output of tools. They may import ``satchel``, ``functions`` and ``infra``; nothing there
imports them.
"""
