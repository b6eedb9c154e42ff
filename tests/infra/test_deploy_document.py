"""The commands in the documents about deployment. ``make witness`` runs those of docs/deploy.md."""

import subprocess
from pathlib import Path

import pytest

from infra.sources import ROOT
from tests.witness.document import Block, blocks

DOCUMENTS = (ROOT / "docs" / "deploy.md", ROOT / "docs" / "pipeline.md")
BLOCKS = [(path, block) for path in DOCUMENTS for block in blocks(path)]


def test_blocks_are_found_in_order_with_their_headings(tmp_path: Path) -> None:
    document = tmp_path / "document.md"
    document.write_text("# One\n\n```\na=1\nb=2\n```\n\n```yaml\nc: 3\n```\n\n## Two\n\ntext\n\n```\necho $a\n```\n")
    assert blocks(document) == [Block(1, "One", "a=1\nb=2"), Block(2, "Two", "echo $a")]


@pytest.mark.parametrize(("path", "block"), BLOCKS, ids=lambda each: str(getattr(each, "stem", each)))
def test_block_is_valid_and_has_no_placeholder(path: Path, block: Block) -> None:
    """A placeholder such as ``…`` or ``<name>`` would need an edit by hand, so that the block could not be run."""
    del path
    checked = subprocess.run(["/bin/bash", "-n"], input=block.commands, text=True, capture_output=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")
    assert "…" not in block.commands
    assert "<" not in block.commands.replace("<<", "")


def test_deployment_document_has_all_of_its_blocks() -> None:
    opened = sum(line == "```" for line in DOCUMENTS[0].read_text(encoding="utf-8").splitlines())
    assert len(blocks(DOCUMENTS[0])) == opened // 2 >= 10
