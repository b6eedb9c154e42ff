"""What a tool returns must be one JSON object with `results` (spec 1; spec 2 §1; spec 3 §1.1)."""

from collections.abc import Iterator, Mapping

from local.lint.findings import Clause, Finding
from local.lint.rules.spelling import misspelt_results
from local.lint.subject import Subject
from satchel.contract.shapes.call_result import ABSENT

NO_LIST = Clause("v1:output:no-list", "1 Common Mistakes")
OBJECT = Clause("v1:output:object", "1 Contract")
NOT_EMPTY = Clause("v1:output:not-empty", "1 Edge Cases")
RESULTS = Clause("v2.1:results:required", "3 §1.1")

_WRAP = 'Return {"results": …} with it inside.'
_FILES = ("artifacts", "deferred_artifacts", "returned_file_contents", "bibliography", "grantMarkdown", "canvas")


def one_object(subject: Subject) -> Iterator[Finding]:
    """Name what is no object. Texts of spec 5 stand beside their artifacts, or are marked as being for the model."""
    where, value = subject.payload.where, subject.payload.value
    if subject.failure is not None or (isinstance(value, Mapping) and value):
        return
    if isinstance(value, list | tuple):
        yield NO_LIST.error(where, "The tool returned a plain list at the top.", _WRAP)
    elif value is ABSENT and subject.blocks:
        yield OBJECT.error(where, "The tool returned content blocks, but no JSON object.", 'Return {"results": …} too.')
    elif value is ABSENT or value is None or value == {}:
        if not subject.objects:
            yield NOT_EMPTY.error(where, "The tool returned nothing.", 'Return {"results": null}.')
    elif not (subject.objects or any(block.fields.get("forModel") is True for block in subject.blocks)):
        yield OBJECT.error(where, f"The tool returned a {_kind(value)}, not a JSON object.", _WRAP)


def has_results(subject: Subject) -> Iterator[Finding]:
    """Name an object without `results`. With nothing else of the contract it becomes the results itself (spec 4)."""
    fields, where = subject.payload.fields, subject.payload.where
    if not fields or "results" in fields or misspelt_results(subject) or subject.failure is not None:
        return
    if subject.results is not None:
        advice = "Nothing need be done; with `results`, files and facts can stand beside it."
        yield RESULTS.note(where, "There is no `results`: the whole object is taken for them.", advice)
    elif any(fields.get(key) for key in _FILES):
        yield RESULTS.note(where, "There are files, but no `results`.", "Say in `results` what was made.")
    else:
        yield RESULTS.error(where, "There is no `results`.", "Give the result of the tool as `results`.")


def _kind(value: object) -> str:
    return "text" if isinstance(value, str) else "bare value"
