"""Code that runs inside the process of a Python server. It imports no module of Satchel outside this package."""
