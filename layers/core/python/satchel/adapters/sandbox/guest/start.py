"""Starts a Python server (3.8 or newer) with the file access guard. Keep this file short: each start compiles it."""

import sys

if __name__ == "__main__":
    if sys.flags.isolated or getattr(sys.flags, "safe_path", False):
        sys.path.insert(0, __file__.rpartition("/")[0])
    from guard import main  # type: ignore[import-not-found] # guard.py is in this directory

    del sys.path[0], sys.modules["guard"]
    main()
