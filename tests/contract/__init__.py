"""The manifest of requirements: every clause of the five specifications, by id, and the tests that prove it.

`clauses/` holds the clauses, one file a specification; `@pytest.mark.clause("v2.1:timeout:notice-15s")` on a test says
what it proves; `docs/requirements.md` shows both. Nothing here runs or imports another test: marks are read from the
source.

Within: `document → completeness → manifest | marks | linting → literals`.
"""
