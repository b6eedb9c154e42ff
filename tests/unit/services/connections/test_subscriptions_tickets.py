"""Issuing tickets."""

import re
from datetime import timedelta

from satchel.domain.connections import Ticket, ticket_digest
from tests.unit.services.samples import BOB
from tests.unit.services.world import World


def test_ticket_is_stored_with_its_user_and_expires_after_one_minute(world: World) -> None:
    issued = world.use_cases.issue_ticket(BOB)

    assert issued.expires_at == world.clock.now() + timedelta(seconds=60)
    assert world.tickets.stored == {
        ticket_digest(issued.ticket): Ticket(user=BOB.name, groups=["admins", "users"], expires_at=issued.expires_at)
    }


def test_ticket_has_32_random_bytes_and_is_url_safe(world: World) -> None:
    first, second = world.use_cases.issue_ticket(BOB), world.use_cases.issue_ticket(BOB)

    assert first.ticket != second.ticket
    assert re.fullmatch(r"[A-Za-z0-9_-]{43}", first.ticket)


def test_neither_the_stored_nor_the_printed_form_contains_the_ticket(world: World) -> None:
    issued = world.use_cases.issue_ticket(BOB)

    assert issued.ticket not in str(world.tickets.stored)
    assert issued.ticket not in repr(issued)
