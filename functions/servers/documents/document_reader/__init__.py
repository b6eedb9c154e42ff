"""Reads people's files for a model: parts of their text, matches of a search, outlines and pictures.

`child` runs the work on one file in a process of its own. `kinds` detects what the file is, and each kind has a reader.
"""
