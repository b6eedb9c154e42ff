"""Emulate Lambda's execution environments for the runners: one process for each function and tenant (user).

``pool`` runs in the parent process and routes invocations to environments. ``fork_server_main`` forks the child
processes. Each child process runs the program ``environment``, which serves one tenant's invocations of one function.
No module in this package imports ``local.emulator.aws``. The modules of the child processes (``fork_server_main``,
``environment``, ``context``, ``messages``, ``process_tree``) import no modules of the parent process, because a child
process must start fast.
"""
