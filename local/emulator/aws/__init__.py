"""AWS on one machine, as far as Satchel needs it: moto's back ends, in this process and behind a loopback port.

``cloud`` starts and stops it, ``resources`` creates what ``infra/definitions`` describes by boto3 calls,
``lambda_host`` runs the handlers of Lambda functions, ``auth_middleware`` authenticates requests to the loopback port,
and ``moto_patches`` corrects moto where it differs from AWS. ``import_stubs`` must come before any import of moto.
"""

from local.emulator.aws import import_stubs

import_stubs.install()
