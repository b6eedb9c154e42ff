"""The `satchel` command line: an HTTP client of a running Satchel server, plus commands for developers.

The command runs the entry point `local.cli.main:main`. It sends its requests with `satchel_client`. This package
imports only shared definitions of the server (`satchel.contract`, `satchel.domain`). Only `doctor` and `models` import
more, because they test server code.

Imports point one way: main → commands → ask | call | upload | download | tools | new_server | doctor | models →
render | connection → errors → text. `call` uses `ask`, which uses `upload` and `download`. The commands
`serve`, `bridge` and `lint` start `local.emulator`, `local.bridge` and
`local.lint`. `data` has the options of the group `satchel data`, which
starts `local.emulator.data.command`. That module and `local.lint` import `errors` and `text` of this package.
"""
