"""Satchel on AWS: ``app.py`` → ``application`` → ``stacks`` → ``constructs``, and below them what is data.

The local run shares the data: ``definitions/*.json`` (table, its stream and bucket, in boto3's words),
``workflows/turn.asl.json`` (the state machine of a turn), and by import the times in ``limits`` and the places in
``sources``, both free of aws_cdk. Nothing else outside this package imports it, and it never imports ``satchel``.
"""
