"""`satchel bridge`: other chat front ends over Satchel's public API (docs/bridge.md).

An ASGI application that speaks chat completions (OpenAI), AG-UI and the stream of npm `ai`, and sends every request to
one Satchel server with the caller's own token. It keeps no token and no message. ``serve`` runs it as a process,
``lambda_function`` as a Lambda function, which has no other code of this repository. Imports point one way: serve |
lambda_function → app → ui_messages → chat_completions | ag_ui → caller → satchel_client. ``lambda_runtime`` imports
nothing of the bridge.
"""
