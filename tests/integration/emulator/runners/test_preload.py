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
keys = [each._get_credentials().access_key for each in clients_created]
print(json.dumps([read, keys, [each.meta.region_name for each in clients_created]]))
"""


def test_preloaded_clients_read_no_files_and_use_own_credentials_and_region() -> None:
    command = [sys.executable, "-P", "-c", _CREATE_CLIENTS]
    done = subprocess.run(command, env=child_environ({}), capture_output=True, text=True, check=False)  # noqa: S603  (this interpreter)
    assert done.returncode == 0, done.stderr
    read, keys, regions = json.loads(done.stdout)
    assert read == []
    assert keys == ["one", "one", "own"]
    assert set(regions) == {"eu-central-1"}
