"""Satchel on AWS: ``app.py`` → ``application`` → ``stacks`` → ``constructs``, and below them what is data.

The local run shares the data and reads the files alone: ``definitions/*.json`` (table and bucket, in boto3's words) and
``workflows/turn.asl.json`` (the state machine of a turn). Nothing outside this package imports it, and it never imports
``satchel``.
"""
