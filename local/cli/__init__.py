"""The `satchel` command.

It is a client like any other: it speaks HTTP to a running server and imports nothing of the server but models, names
and sizes (`satchel.contract`, `satchel.domain`).

Within: `main → ask | call | tools | new_server | serve → direct → talk | listing | skeleton → show | answer | save |
follow → api → wire | errors`.
"""
