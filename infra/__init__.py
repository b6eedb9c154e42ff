"""The AWS deployment: ``app.py`` → ``application`` → ``stacks`` → ``constructs``.

The local emulator uses the same data: ``definitions/*.json`` (table, stream and bucket as boto3 parameters),
``workflows/turn.asl.json`` (the state machine of a turn), and the modules ``limits``, ``sources`` and ``page_headers``,
which import no aws_cdk. This package never imports ``satchel``.
"""
