"""What is the same for every request is found out once: which services there are, what each can do, who we are.

Patches ``method_names_from_class`` and ``gen_amzn_requestid_long`` of moto's responses, ``BaseBackend.urls`` and
``list_of_moto_modules``, puts the services that are asked most first in ``backend_url_patterns``, and keeps what
botocore's ``sanitize_user_agent_string_component`` returns. Without it a third of a request's processor time goes into
inspecting a class, making its addresses and trying those of a hundred other services, drawing 52 letters, and looking
at each letter of the user agent; and each request to the server lists moto's folder, while others wait.
"""

import uuid
from functools import cache, lru_cache
from typing import Any

from botocore import useragent
from moto import backend_index, backends
from moto.core import responses
from moto.core.base_backend import BaseBackend
from moto.core.utils import method_names_from_class

from local.emulator.aws.moto_patches.patching import original, replace

_ASKED_MOST = {"dynamodb", "awslambda", "stepfunctions", "sts", "secretsmanager"}  # no other has an address like theirs
_MAX_WORDS = 1024

_modules_listed = backends.list_of_moto_modules
_urls_made = original(BaseBackend, "urls").fget
_urls_of: dict[type, dict[str, Any]] = {}


@cache
def install() -> None:
    """Patch moto and botocore."""
    replace(responses, "method_names_from_class", cache(method_names_from_class))
    replace(responses, "gen_amzn_requestid_long", _request_id)
    words = lru_cache(_MAX_WORDS)(useragent.sanitize_user_agent_string_component)
    replace(useragent, "sanitize_user_agent_string_component", words)
    replace(BaseBackend, "urls", property(_urls))
    replace(backends, "list_of_moto_modules", _modules)
    backend_index.backend_url_patterns.sort(key=lambda known: known[0] not in _ASKED_MOST)


@cache
def _modules() -> tuple[str, ...]:
    return tuple(_modules_listed())


def _urls(self: BaseBackend) -> dict[str, Any]:
    """Return the patterns of a service's addresses, with who answers there. S3's would be a module that is reloaded."""
    if type(self) not in _urls_of:
        _urls_of[type(self)] = _urls_made(self)
    return _urls_of[type(self)]


def _request_id(headers: dict[str, str]) -> str:
    headers["x-amzn-requestid"] = made = uuid.uuid4().hex
    return made
