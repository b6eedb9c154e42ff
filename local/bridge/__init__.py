"""`satchel bridge`: other chat front ends over Satchel's public API (docs/bridge.md).

An ASGI process that speaks chat completions (OpenAI), AG-UI and the stream of npm `ai`, and sends every request to one
Satchel server with the caller's own token. It keeps no token and no message. Imports point one way: serve → app →
ui_messages → chat_completions | ag_ui → caller → satchel_client.
"""
