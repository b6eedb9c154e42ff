"""A model of the time that turns take on AWS: recorded requests, delayed by published distributions, in virtual time.

``recording`` runs turns through all deployed functions on moto, and writes which request of a function waits for which.
``turns`` and ``push`` replay these graphs in ``simulation``, a discrete-event simulation. Requests, invocations and
transitions take the random times of ``delays``; processor time is the measured one, at the share of a core that the
function's memory gives. Nothing in a simulation depends on the speed or the load of this machine.
"""
