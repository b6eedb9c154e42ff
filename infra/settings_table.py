"""``python -m infra.settings_table``: write docs/deployment-settings.md from the settings' own words."""

import re
from collections.abc import Iterator
from typing import Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from infra import sources
from infra.settings import Settings

DOCUMENT = sources.ROOT / "docs" / "deployment-settings.md"

_HEAD = """\
# What a deployment may choose

Each is a key of CDK's context: `-c name=team` behind `cdk synth` or `cdk deploy`, or `"context": {"name": "team"}` in
`cdk.json`. Lists may be text (`a,b`), too. A key that is wrong is named when the templates are made, and nothing is
deployed. This table is made of `infra/settings.py` (`.venv/bin/python -m infra.settings_table`); a test compares them.

What one sets on a single machine is told by the classes of `layers/core/python/satchel/settings.py`; the stacks set
those variables.

| key | default | what it is |
|---|---|---|
"""


def page() -> str:
    """Return the page."""
    return _HEAD + "".join(f"{row}\n" for row in _rows())


def _rows() -> Iterator[str]:
    for name, field in Settings.model_fields.items():
        told = re.sub(r"\s+", " ", field.description or "")
        yield f"| `{name}` | {_default(field)} | {told}{_one_of(field)} |"


def _default(field: FieldInfo) -> str:
    value = field.default
    if value in (None, "", [], {}):
        return ""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"`{text.removeprefix(f'{sources.ROOT}/')}`"


def _one_of(field: FieldInfo) -> str:
    """Return the words that may stand there, where there are few."""
    if get_origin(field.annotation) is not Literal:
        return ""
    return f" ({', '.join(f'`{word}`' for word in get_args(field.annotation))})"


if __name__ == "__main__":
    DOCUMENT.write_text(page(), encoding="utf-8")
