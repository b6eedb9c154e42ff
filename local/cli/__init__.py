"""The `satchel` command line: an HTTP client of a running server, plus commands for developers on this machine.

Called by users through the entry point `local.cli.main:main`. From the server, it imports only shared definitions
(`satchel.contract`, `satchel.domain`); only `doctor` and `models` import what they test (`satchel.bootstrap`).

Imports point one way: main → commands → ask | call | upload | download | tools | new_server | doctor | models →
render | api_client → schemas | errors → text. `call` uses `ask`, which uses `upload` and `download`. The commands
`serve` and `lint` start `local.emulator` and `local.lint`; `local.lint` imports `errors` and `text` of this package.
"""
