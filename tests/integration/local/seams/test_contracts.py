from pathlib import Path

from local.aws.seams import SEAMS


def test_every_seam_has_its_contract_and_every_contract_a_seam() -> None:
    here = Path(__file__)
    contracts = {path.stem.removeprefix("test_") for path in here.parent.glob("test_*.py") if path != here}
    assert contracts == set(SEAMS)
