"""What is wrong with a tool's output, told to whoever writes the tool.

It reads what a tool returned, or calls the tool itself. Imports `satchel.contract` for what the contract is, and
`satchel.adapters.mcp` for calling a tool as a runner does. The options of the command are in `local.cli.lint`.

Within: `command → report | calling → listening → check → rules → opening → subject → findings`.
"""
