"""The whole of Satchel on one machine: moto for AWS, processes for the runners, uvicorn for the API Gateway.

Everything in here stands for something of AWS's. It may import ``satchel`` and ``functions``; they never import it,
and nothing in them knows that it runs locally.
"""
