"""The clause manifest: every clause of the five specifications, by id, with the tests that prove it.

`clauses/` holds the clauses, one file per specification. A test names the clauses that it proves with
`@pytest.mark.clause("v2.1:timeout:notice-15s")`. `docs/requirements.md` lists both. This package never runs or imports
other tests: it reads the marks from their source.

Imports within: `document → completeness → manifest | marks | lint_clauses → source_literals`.
"""
