"""Starts a Python server; see ``guard``, which does it. This is small, since it is compiled at each start.

It runs in whatever Python a server has.
"""

import sys

if __name__ == "__main__":
    if sys.flags.isolated or getattr(sys.flags, "safe_path", False):
        sys.path.insert(0, __file__.rpartition("/")[0])
    from guard import main  # type: ignore[import-not-found] # found beside this file

    del sys.path[0], sys.modules["guard"]
    main()
