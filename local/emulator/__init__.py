"""Run all of Satchel on one machine: moto replaces AWS, processes the runners, uvicorn API Gateway and CloudFront.

``serve`` is the entry point and ``system`` starts the parts. ``aws`` holds the emulated AWS services, ``runners`` the
processes that tools run in. The emulator may import ``satchel``, ``functions`` and ``infra``. Those
packages never import the emulator and do not know that they run locally.
"""
