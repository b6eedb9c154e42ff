"""All of Satchel on one machine: moto for AWS, processes for the runners, uvicorn for API Gateway and CloudFront.

``serve`` is the entry point and ``system`` starts the parts. ``aws`` holds the emulated AWS services, ``runners`` the
processes that tools run in. The emulator may import ``satchel``, ``functions`` and ``infra``. They never import the
emulator, and nothing in them knows that it runs locally.
"""
