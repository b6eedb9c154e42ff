"""What goes into layers, and how it is made: by uv and Python's own compiler on this machine, no docker.

Free of aws_cdk: ``constructs.shelf`` makes layers of it, ``sizes`` weighs them, tests look into them.
"""
