"""Functions in AWS's own runtime client (awslambdaric), with their real layers, in a sandbox like Lambda's.

``layers`` builds layers for this machine, ``runtime_api`` is Lambda's side of the runtime client's interface,
``environment`` runs a function in a process, and ``functions`` starts processes as Lambda does.
"""
