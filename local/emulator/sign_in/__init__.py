"""Sign-in with name and password, for a server that several people use (``SATCHEL_AUTH=password``).

``gateway`` is the ASGI middleware, the others store accounts and sessions and slow down guessing. Nothing in
``satchel`` knows about accounts: the API gets the user of a request from the gateway, as from API Gateway on AWS.
"""
