"""moto's back ends behind a loopback port, for what is no boto3 call of this process.

Runner processes send all their calls here, and presigned URLs point here. It is moto's own WSGI application; the server
around it differs from ``ThreadedMotoServer`` in that it stops fast and asks every request for a signature.
"""

import logging
import threading

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from werkzeug.serving import ThreadedWSGIServer

from local.aws.gate import gated
from local.aws.signatures import Secrets

_POLL = 0.1  # seconds; half a second, the default, is how long a stop would take


class BackendServer:
    """Serves on a free port of 127.0.0.1 from the moment that it is made."""

    def __init__(self, secrets: Secrets) -> None:
        logging.getLogger("werkzeug").setLevel(logging.WARNING)  # it would print a line for every request
        application = DomainDispatcherApplication(create_backend_app)
        self._server = ThreadedWSGIServer("127.0.0.1", 0, application, MotoRequestHandler)
        self._server.app = gated(application, secrets, self.port)
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(_POLL,), daemon=True, name="moto-server"
        )
        self._thread.start()

    @property
    def port(self) -> int:
        """Return the port."""
        return self._server.port

    @property
    def url(self) -> str:
        """Return its URL, with an address and no name: boto3 then puts buckets into the path."""
        return f"http://127.0.0.1:{self.port}"

    def stop(self) -> None:
        """Give the port back."""
        self._server.shutdown()
        self._thread.join()
