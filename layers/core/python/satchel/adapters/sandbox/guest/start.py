"""Starts a server in its own Python (3.8+) and the file access guard. Short: Python compiles it at each start."""

import sys

if __name__ == "__main__":
    if sys.flags.isolated or getattr(sys.flags, "safe_path", False):
        sys.path.insert(0, __file__.rpartition("/")[0])
    from guard import main  # type: ignore[import-not-found] # guard.py is in this directory

    del sys.path[0], sys.modules["guard"]
    main()
