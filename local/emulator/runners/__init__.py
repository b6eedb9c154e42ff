"""Emulate Lambda's execution environments for the runners: one process for each function and tenant.

``pool`` runs in the parent process and routes invocations to environments. ``fork_server_main`` forks the processes,
and ``environment`` is the program that each of them runs: it serves one tenant's invocations of one function. No
module here imports ``local.emulator.aws``, and the child's modules (``fork_server_main``, ``environment``, ``context``,
``messages``, ``process_tree``) import no module of the parent's side: a child must start fast.
"""
