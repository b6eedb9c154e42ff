"""Health and configuration."""

from fastapi import APIRouter

import satchel
from satchel.entrypoints.http import examples
from satchel.entrypoints.http.identity import Who
from satchel.entrypoints.http.models import Config, Health, ModelOut, SizeLimits
from satchel.entrypoints.http.problems import responses
from satchel.entrypoints.http.services import Use

router = APIRouter(tags=["about"])


@router.get("/api/health", responses=examples.shown(200, examples.HEALTH))
def health() -> Health:
    """Say that the server is alive, and which version it is. Needs no sign-in."""
    return Health(version=satchel.__version__)


@router.get("/api/config", responses=examples.shown(200, examples.CONFIG) | responses(403))
def config(who: Who, use: Use) -> Config:
    """Say who is asking, and what this deployment does and allows."""
    about, models = use.about, use.about.models.open_to(who.groups)
    return Config(
        user=who.name,
        groups=sorted(who.groups),
        model=models[0].name if models else None,
        models=[ModelOut(name=entry.name, description=entry.description) for entry in models],
        socket_url=about.socket_url,
        isolation_level=about.isolation_level(),
        flags=about.flags,
        limits=SizeLimits.model_validate(about.limits),
    )
