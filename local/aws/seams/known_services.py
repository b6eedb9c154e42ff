"""What is the same for every request is found out once: which services there are, what each can do, who we are.

Patches ``method_names_from_class`` and ``gen_amzn_requestid_long`` of moto's responses, puts the services that are
asked most first in ``backend_url_patterns``, and keeps what ``sanitize_user_agent_string_component`` of botocore
returns. Without it a quarter of a request's processor time goes into inspecting a class, trying the addresses of a
hundred other services, drawing 52 letters, and looking at each letter of the user agent.
"""

import uuid
from functools import cache, lru_cache

from botocore import useragent
from moto import backend_index
from moto.core import responses
from moto.core.utils import method_names_from_class

from local.aws.seams.patching import replace

_ASKED_MOST = {"dynamodb", "awslambda", "stepfunctions", "sts", "secretsmanager"}  # no other has an address like theirs
_MOST_WORDS = 1024


@cache
def install() -> None:
    """Patch moto and botocore."""
    replace(responses, "method_names_from_class", cache(method_names_from_class))
    replace(responses, "gen_amzn_requestid_long", _request_id)
    words = lru_cache(_MOST_WORDS)(useragent.sanitize_user_agent_string_component)
    replace(useragent, "sanitize_user_agent_string_component", words)
    backend_index.backend_url_patterns.sort(key=lambda known: known[0] not in _ASKED_MOST)


def _request_id(headers: dict[str, str]) -> str:
    headers["x-amzn-requestid"] = made = uuid.uuid4().hex
    return made
