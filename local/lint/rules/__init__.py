"""The lint rules, one module per subject. To add a rule, write it and add it to ``RULES`` in `local.lint.linter`.

A rule takes a `ToolOutput` and yields findings. Only one rule reports each problem, so a rule ignores problems that
another rule reports.
"""
