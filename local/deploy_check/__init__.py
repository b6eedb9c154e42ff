"""`satchel deploy-check`: what an AWS account, a region and the settings would let fail, before anything is deployed.

``command`` reads the settings (``context``) and prints the findings of all ``checks``. ``account`` sends the requests:
only those listed in ``reads``, none of which writes. It imports ``infra``, and never ``aws_cdk``.
"""
