"""WebSocket connections, subscriptions to turns, and the push of their events."""
