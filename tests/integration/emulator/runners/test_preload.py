import json
import subprocess
import sys

from local.emulator.runners.functions import child_environ

_CREATE_CLIENTS = """
import json, os
import local.emulator.runners.preload
from botocore.loaders import JSONFileLoader
from satchel.adapters import clients
from satchel.ports.runners import ScopedCredentials

read, original = [], JSONFileLoader.load_file

def load_file(self, path):
    found = original(self, path)
    if found is not None:
        read.append(path)
    return found

JSONFileLoader.load_file = load_file
os.environ["AWS_DEFAULT_REGION"] = "eu-central-1"
credentials = ScopedCredentials(access_key_id="one", secret_access_key="secret", session_token="token")
clients_created = [clients.scoped_dynamodb(credentials), clients.scoped_s3(credentials)]
os.environ |= {"AWS_ACCESS_KEY_ID": "own", "AWS_SECRET_ACCESS_KEY": "secret"}
clients_created.append(clients.stepfunctions())
of_call, *others = clients_created
keys = [of_call._credentials.access_key, *(each._get_credentials().access_key for each in others)]
print(json.dumps([read, keys, [each.meta.region_name for each in [clients.dynamodb_of_calls(), *others]]]))
"""

_PREPARE = """
import json, sys
import local.emulator.runners.preload as preload
from pydantic import BaseModel
from satchel.adapters.sandbox.readable_paths import system_paths
from satchel.adapters.tls import tls_context
from satchel.bootstrap.runner import _find_problems

def models(base):
    return [each for model in base.__subclasses__() for each in [model, *models(model)]]

def is_incomplete(model):
    return model.__module__.startswith("satchel.") and not model.__pydantic_complete__

preload.when_idle()
modules = set(sys.modules)
problems = _find_problems({"type": "object", "required": ["a"]}, {})
caches = [tls_context.cache_info().currsize, system_paths.cache_info().currsize]
incomplete = [each.__qualname__ for each in models(BaseModel) if is_incomplete(each)]
print(json.dumps([incomplete, problems, sorted(set(sys.modules) - modules), caches]))
"""


def test_idle_fork_server_prepares_what_a_first_call_would_import_and_build() -> None:
    command = [sys.executable, "-P", "-c", _PREPARE]
    done = subprocess.run(command, env=child_environ({}), capture_output=True, text=True, check=False)  # noqa: S603  (this interpreter)
    assert done.returncode == 0, done.stderr
    incomplete, problems, imported, caches = json.loads(done.stdout)
    assert incomplete == []
    assert len(problems) == 1
    assert imported == []
    assert caches == [1, 1]


def test_preloaded_clients_read_no_files_and_use_own_credentials_and_region() -> None:
    command = [sys.executable, "-P", "-c", _CREATE_CLIENTS]
    done = subprocess.run(command, env=child_environ({}), capture_output=True, text=True, check=False)  # noqa: S603  (this interpreter)
    assert done.returncode == 0, done.stderr
    read, keys, regions = json.loads(done.stdout)
    assert read == []
    assert keys == ["one", "one", "own"]
    assert set(regions) == {"eu-central-1"}
