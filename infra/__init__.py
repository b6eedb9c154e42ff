"""The AWS deployment as a CDK app: ``app.py`` calls ``application``, which builds ``stacks`` out of ``constructs``.

The local emulator reads some of it: ``definitions/*.json`` (table, stream and bucket as boto3 parameters),
``workflows/turn.asl.json`` (the state machine of a turn), and the modules ``limits``, ``sources`` and ``page_headers``,
which therefore must not import aws_cdk. This package never imports ``satchel``.
"""
