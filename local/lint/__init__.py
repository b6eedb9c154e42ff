"""`satchel lint`: check a tool's output against the contract that defines what a tool may return.

Reads an output from a file, or calls the tool and checks its output. `local.cli.commands` calls this package.
Lint imports the contract (`satchel.contract`, `satchel.domain`), the adapters that call a tool as the runner does
(`satchel.adapters`, `satchel.bootstrap`), and the exit codes and text helpers of `local.cli`.

Imports point one way: command → tool_call → linter → rules → tool_output → findings.
"""
