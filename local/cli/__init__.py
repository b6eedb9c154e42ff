"""The `satchel` command.

It is a client like any other: it speaks HTTP to a running server and imports nothing of the server but models, names
and sizes (`satchel.contract`, `satchel.domain`).

Within: `main → ask | call | upload | download | tools | new_server | serve → direct | carry → talk | listing | skeleton
→ show | answer | save | send | fetch → transfer | follow → api → wire | errors`.
"""
