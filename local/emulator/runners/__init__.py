"""Lambda's execution environments of the runners, emulated as processes: one for each function and tenant.

``pool`` is the parent's side and routes invocations to environments. ``fork_server_main`` forks the processes, and
``environment`` is the program that each of them runs: it serves one tenant's invocations of one function. Nothing here
imports ``local.emulator.aws``, and the child's modules (``fork_server_main``, ``environment``, ``context``,
``messages``, ``process_tree``) import nothing of the parent's: a child must start fast.
"""
