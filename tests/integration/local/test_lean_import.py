import subprocess
import sys

IMPORTED = "import sys, local.aws.cloud as _; print('moto.ec2.models' in sys.modules)"
ON_DEMAND = "import local.aws.cloud as _; from moto.batch.models import BatchBackend; print(BatchBackend.__name__)"


def said(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603


def test_the_interpreter_comes_without_ec2_whose_import_takes_longer_than_its_own() -> None:
    assert said(IMPORTED) == "False"


def test_what_was_left_out_is_there_when_it_is_asked_for() -> None:
    assert said(ON_DEMAND) == "BatchBackend"
