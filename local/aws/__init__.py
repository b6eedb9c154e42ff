"""AWS as far as Satchel needs it, on one machine: moto's back ends, in this process and behind a loopback port.

``cloud`` starts and stops it, ``resources`` creates what the definitions describe by real boto3 calls, ``functions``
runs handlers for Lambda, ``gate`` decides who may speak to the port, and ``seams`` holds what moto does differently
from AWS, one module for each difference.
"""

from local.aws import lean_import

lean_import.install()
