"""The synthesized templates, deployed on this machine, and a run of all functions on the created resources.

``assembly`` reads the synthesized files. ``resource_types`` adds the resource types to moto's CloudFormation that it
lacks. ``system`` creates both stacks in process and runs each function in its own process with the environment of its
template. ``gateways`` replaces API Gateway, ``scenario`` is the run, and ``recorded_calls`` and ``role_check`` compare
the AWS requests of the functions with the permissions of their roles.
"""
