"""The AWS services that Satchel uses, emulated by moto in this process and reachable through a loopback port.

``cloud`` starts and stops the emulation, ``resources`` creates the resources that ``infra/definitions`` describes,
``lambda_host`` runs the handlers of Lambda functions, ``auth_middleware`` authenticates requests to the loopback port,
and ``moto_patches`` corrects moto where it differs from AWS. ``import_stubs`` makes importing moto faster, so this
package installs the stubs before any of its modules imports moto.
"""

from local.emulator.aws import import_stubs

import_stubs.install()
