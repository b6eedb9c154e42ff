"""AWS as far as Satchel needs it, on one machine: moto's back ends, in this process and behind a loopback port.

``cloud`` starts and stops it, ``resources`` creates what the definitions describe by real boto3 calls, ``functions``
runs handlers for Lambda, and ``seams`` holds what moto does differently from AWS, one module for each difference.
"""
