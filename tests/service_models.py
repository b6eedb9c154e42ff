"""Cache of botocore's service descriptions, because each test cloud creates its own boto3 session."""

from functools import cache

from botocore.loaders import JSONFileLoader

from local.emulator.aws.moto_patches.patching import replace


@cache
def cache_service_models() -> None:
    """Patch botocore to read each file once per process. Sessions merge only equal data into the shared objects."""
    replace(JSONFileLoader, "load_file", staticmethod(cache(JSONFileLoader().load_file)))
