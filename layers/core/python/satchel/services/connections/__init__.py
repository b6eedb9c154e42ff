"""Use cases for WebSocket connections: open a connection, subscribe to a turn, and push the turn's events."""
