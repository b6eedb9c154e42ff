"""Descriptions of AWS's services, read once a process: each cloud of the tests has a boto3 session of its own."""

from functools import cache

from botocore.loaders import JSONFileLoader

from local.emulator.aws.moto_patches.patching import replace


@cache
def read_once() -> None:
    """Patch botocore: what one session has read serves them all; what they merge into it is the same each time."""
    replace(JSONFileLoader, "load_file", staticmethod(cache(JSONFileLoader().load_file)))
