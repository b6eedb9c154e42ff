"""Lambda's execution environments of the runners, as processes: one for each function and tenant.

``pool`` is the parent's side and routes invocations; ``environment`` is the program of a child, which serves one
tenant's invocations of one function. Nothing here imports ``local.aws``: a child must start fast.
"""
