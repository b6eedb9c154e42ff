"""Run all of Satchel on one machine, without an AWS account.

moto emulates the AWS services, uvicorn replaces API Gateway and CloudFront, and local processes replace the runners
(the Lambda functions that run tools). ``serve`` is the entry point, and ``system`` starts the parts. ``aws`` contains
the emulated AWS services, and ``runners`` manages the processes in which tools run. The emulator may import
``satchel``, ``functions`` and ``infra``. Those packages never import the emulator and do not know that they run
locally.
"""
