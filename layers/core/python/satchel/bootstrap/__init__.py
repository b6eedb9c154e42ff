"""One module a function: builds its adapters and nothing else's, once a process.

The only place that constructs clients. Called by ``functions/*/handler.py``; tests build the services with fakes.
"""
