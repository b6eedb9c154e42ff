"""The HTTP API: ``app`` has the factory, ``routers/`` a module for each resource, ``problems`` maps every error."""
