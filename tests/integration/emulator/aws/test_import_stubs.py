import subprocess
import sys

IMPORTED = "import sys, local.emulator.aws.cloud as _; print('moto.ec2.models' in sys.modules)"
ON_DEMAND = (
    "import local.emulator.aws.cloud as _; from moto.batch.models import BatchBackend; print(BatchBackend.__name__)"
)


def output_of(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603


def test_importing_the_cloud_does_not_import_ec2() -> None:
    assert output_of(IMPORTED) == "False"


def test_batch_can_be_imported_on_demand() -> None:
    assert output_of(ON_DEMAND) == "BatchBackend"
