"""Models' providers on this machine: they speak the real wire formats, and say and fail as a test wants it."""
