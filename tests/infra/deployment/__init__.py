"""The synthesised templates, deployed on this machine: what they create is what a turn then runs on.

``assembly`` reads what was synthesised, ``types`` teaches moto's CloudFormation what it lacks, ``stage`` creates both
stacks in process and has each of their functions run as a process with exactly the environment of its template,
``doors`` stand before them as API Gateway does, and ``recording`` notes every call of AWS that a function makes.
"""
