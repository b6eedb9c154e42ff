"""What asks models: the one that a question names, patiently, on this process's event loop."""

import os
import time
from functools import lru_cache
from typing import TYPE_CHECKING

from aws_lambda_powertools.utilities.parameters import SecretsProvider

from satchel.adapters import clients
from satchel.adapters.models.asking import OFFLINE, Asking, Name, provider_of
from satchel.adapters.models.offline import OfflineModel
from satchel.adapters.models.patient import PatientModel
from satchel.adapters.secret_values import SecretValues
from satchel.adapters.server_config import Values, of_environment
from satchel.bootstrap.storage import CLOCK
from satchel.ports.model import Model
from satchel.settings import AskingSettings

if TYPE_CHECKING:
    from satchel.adapters.event_loop import EventLoop


@lru_cache
def models() -> Asking:
    """Return what asks every model by its name."""
    return Asking(make_model)


def make_model(name: str) -> Model:
    """Return the model of this name, and import what its provider takes. Raises ValueError, ModelError."""
    if name == OFFLINE:
        return OfflineModel()
    return PatientModel(model_once(name), CLOCK, time.sleep, AskingSettings().model_seconds)


def model_once(name: str) -> Model:
    """Return the model of this name, asked without a second try. Raises ValueError, ModelError."""
    # What is imported here takes as long as all the rest of the function; who asks nobody does without it.
    import satchel.adapters.models.lean  # noqa: F401, PLC0415  (for what it does, before anything imports the library)

    # isort: split
    from pydantic_ai.settings import ModelSettings  # noqa: PLC0415

    from satchel.adapters.models.connection import Wanted  # noqa: PLC0415
    from satchel.adapters.models.spoken import Patience, SpokenModel  # noqa: PLC0415

    wanted, given = Name.parse(name), AskingSettings()
    address = wanted.address or given.model_base_url
    connection = provider_of(wanted.provider).connect(
        Wanted(wanted.model_id, _values(given.secret_prefix), address, given.model_silence_seconds)
    )
    settings = ModelSettings()
    if given.model_temperature is not None:
        settings["temperature"] = given.model_temperature
    if given.model_max_tokens is not None:
        settings["max_tokens"] = given.model_max_tokens
    patience = Patience(given.model_silence_seconds, given.model_seconds)
    return SpokenModel(connection, settings, _loop(), CLOCK, patience)


def close() -> None:
    """End what is still asked, and the event loop: its threads would keep the process alive."""
    if _loop.cache_info().currsize:
        _loop().close()


@lru_cache
def _loop() -> "EventLoop":
    from satchel.adapters.event_loop import EventLoop  # noqa: PLC0415  (as above)

    return EventLoop()


def _values(prefix: str | None) -> Values:
    """Return where the keys of providers are looked up."""
    if prefix is None:
        return of_environment(os.environ)
    return SecretValues(os.environ, prefix, SecretsProvider(boto3_client=clients.secrets()))
