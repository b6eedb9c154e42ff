"""Keep the data of the emulated table and bucket in a folder, so that they survive a restart.

``folder`` opens the data folder and its database. ``items`` records each write to the table, and ``objects`` each
change of the bucket. Both write before the request is answered. The deployed code does not know this package.

``command`` runs the commands of ``satchel data``: ``inspection`` checks a folder, ``archive`` defines the format of an
export, ``importing`` reads it into another folder, and ``stack`` into a deployed stack.
"""
