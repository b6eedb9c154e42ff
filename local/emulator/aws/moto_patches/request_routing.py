"""Make moto compute the operations, URL patterns and host of a service once instead of for every request.

Patches ``method_names_from_class`` in ``moto.core.responses``, and ``BaseBackend.urls``. Without the patch, each
request inspects the service's response class and rebuilds the URL patterns, and the tests of chat turns take 7 % more
CPU time.

Patches ``DomainDispatcherApplication.get_backend_for_host``. Unpatched moto lists its own folder of modules for each
HTTP request, to find the service. Without the patch, a small request to S3 takes a quarter more CPU time.

Patches ``BackendDict.__getitem__``. Unpatched moto takes one lock for all services several times in each request, so
that requests of many threads wait for one another.
"""

from functools import cache
from typing import Any

from moto.core import responses
from moto.core.base_backend import AccountSpecificBackend, BackendDict, BaseBackend
from moto.core.utils import method_names_from_class
from moto.moto_server.werkzeug_app import DomainDispatcherApplication

from local.emulator.aws.moto_patches.patching import original, replace

_get_account = original(BackendDict, "__getitem__")
_compute_urls = original(BaseBackend, "urls").fget
_find_backend = original(DomainDispatcherApplication, "get_backend_for_host")
_urls_by_class: dict[type, dict[str, Any]] = {}
_backends_by_host: dict[str | None, str | None] = {}


@cache
def install() -> None:
    """Patch moto so that it computes a service's operations, URL patterns and host only once."""
    replace(responses, "method_names_from_class", cache(method_names_from_class))
    replace(BaseBackend, "urls", property(_urls))
    replace(DomainDispatcherApplication, "get_backend_for_host", _get_backend_for_host)
    replace(BackendDict, "__getitem__", _existing_account)


def _existing_account(self: BackendDict[Any], account_id: str) -> AccountSpecificBackend[Any]:
    """Return a service's account. Take moto's lock only to create it, or to list it again after a reset."""
    account: AccountSpecificBackend[Any] | None = dict.get(self, account_id)
    is_listed = any(each is self for each in BackendDict._instances)  # type: ignore[misc]  # noqa: SLF001
    return account if account is not None and is_listed else _get_account(self, account_id)


def _urls(self: BaseBackend) -> dict[str, Any]:
    """Return the service's URL patterns with their handlers. Compute them only for the first request."""
    if type(self) not in _urls_by_class:
        _urls_by_class[type(self)] = _compute_urls(self)
    return _urls_by_class[type(self)]


def _get_backend_for_host(self: DomainDispatcherApplication, host: str | None) -> str | None:
    """Return the name of the service with this host name. The server's own checks allow few host names."""
    if host not in _backends_by_host:
        _backends_by_host[host] = _find_backend(self, host)
    return _backends_by_host[host]
