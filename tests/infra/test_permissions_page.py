"""The page that lists who may do what tells of the templates as they are."""

import pytest

from tests.infra.permissions import DOCUMENT, document
from tests.infra.templates import Stacks

pytestmark = pytest.mark.synth


def test_the_page_of_permissions_is_that_of_the_templates(stacks: Stacks) -> None:
    told = "write it anew: .venv/bin/python -m tests.infra.permissions"
    assert DOCUMENT.read_text(encoding="utf-8") == document(stacks), told
