import json
import subprocess
import sys

from local.runners.functions import world

_MAKE_CLIENTS = """
import json, os
import local.run_tool_ready
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
given = ScopedCredentials(access_key_id="one", secret_access_key="secret", session_token="token")
made = [clients.scoped_dynamodb(given), clients.scoped_s3(given)]
os.environ |= {"AWS_ACCESS_KEY_ID": "own", "AWS_SECRET_ACCESS_KEY": "secret"}
made.append(clients.stepfunctions())
keys = [one._get_credentials().access_key for one in made]
print(json.dumps([read, keys, [one.meta.region_name for one in made]]))
"""


def test_an_environment_makes_its_clients_without_reading_what_all_read_with_keys_and_a_region_of_its_own() -> None:
    command = [sys.executable, "-P", "-c", _MAKE_CLIENTS]
    done = subprocess.run(command, env=world({}), capture_output=True, text=True, check=False)  # noqa: S603  (our own)
    assert done.returncode == 0, done.stderr
    read, keys, regions = json.loads(done.stdout)
    assert read == []
    assert keys == ["one", "one", "own"]
    assert set(regions) == {"eu-central-1"}
