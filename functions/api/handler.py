"""The HTTP API behind API Gateway."""

from mangum import Mangum

from satchel.bootstrap.api import build
from satchel.bootstrap.logs import set_up_logs

set_up_logs("api")

handler = Mangum(build(), lifespan="off")
