"""The AWS deployment as a CDK app: ``app.py`` calls ``application``, which builds ``stacks`` out of ``constructs``.

The local emulator also uses ``definitions/*.json`` (table, stream and bucket as boto3 parameters),
``workflows/turn.asl.json`` (the state machine of a turn), and the modules ``limits``, ``sources`` and ``page_headers``.
These modules must not import aws_cdk, because the emulator runs without CDK. This package never imports ``satchel``.
"""
