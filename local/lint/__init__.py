"""`satchel lint`: check a tool's output against the contract, for tool authors.

Reads an output from a file, or calls the tool itself and checks what the tool returns. Called by `local.cli.commands`.
It imports the contract (`satchel.contract`, `satchel.domain`), the adapters that call a tool as the runner does
(`satchel.adapters`, `satchel.bootstrap`), and the exit codes and text helpers of `local.cli`.

Imports point one way: command → tool_call → linter → rules → tool_output → findings.
"""
