"""``python -m infra.settings_table``: write docs/deployment-settings.md from the docstrings of the settings."""

import re
from collections.abc import Iterator
from typing import Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from infra import sources
from infra.settings import Settings

DOCUMENT = sources.ROOT / "docs" / "deployment-settings.md"

_HEAD = """\
# Deployment settings

Each setting is a CDK context key: `"context": {"name": "team"}` in `cdk.json`, or `-c name=team` after each `cdk`
command (`make synth CDK="-c name=team"`). Lists may also be text (`a,b`). An unknown key or an invalid value stops the
synthesis with an error that names the key, and nothing is deployed. This table is generated from `infra/settings.py`
(`.venv/bin/python -m infra.settings_table`); a test compares them.

The classes of `layers/core/python/satchel/settings.py` document the environment variables for a local run; the stacks
set the same variables.

| key | default | meaning |
|---|---|---|
"""


def page() -> str:
    """Return docs/deployment-settings.md as Markdown."""
    return _HEAD + "".join(f"{row}\n" for row in _rows())


def _rows() -> Iterator[str]:
    for name, field in Settings.model_fields.items():
        description = re.sub(r"\s+", " ", field.description or "")
        yield f"| `{name}` | {_default(field)} | {description}{_choices(field)} |"


def _default(field: FieldInfo) -> str:
    value = field.default
    if value in (None, "", [], {}):
        return ""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"`{text.removeprefix(f'{sources.ROOT}/')}`"


def _choices(field: FieldInfo) -> str:
    """Return the allowed values as Markdown if a field has a fixed set of values. Otherwise, return empty text."""
    if get_origin(field.annotation) is not Literal:
        return ""
    return f" ({', '.join(f'`{value}`' for value in get_args(field.annotation))})"


if __name__ == "__main__":
    DOCUMENT.write_text(page(), encoding="utf-8")
