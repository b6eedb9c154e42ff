import re
from datetime import timedelta

from satchel.domain.connections import Ticket, ticket_digest
from tests.unit.services.samples import BOB
from tests.unit.services.world import World


def test_a_ticket_says_who_it_lets_in_and_for_how_long(world: World) -> None:
    issued = world.use_cases.issue_ticket(BOB)

    assert issued.expires_at == world.clock.now() + timedelta(seconds=60)
    assert world.tickets.stored == {
        ticket_digest(issued.ticket): Ticket(user=BOB.name, groups=["admins", "users"], expires_at=issued.expires_at)
    }


def test_a_ticket_is_32_random_bytes_that_may_stand_in_an_address(world: World) -> None:
    first, second = world.use_cases.issue_ticket(BOB), world.use_cases.issue_ticket(BOB)

    assert first.ticket != second.ticket
    assert re.fullmatch(r"[A-Za-z0-9_-]{43}", first.ticket)


def test_what_is_kept_or_printed_lets_nobody_in(world: World) -> None:
    issued = world.use_cases.issue_ticket(BOB)

    assert issued.ticket not in str(world.tickets.stored)
    assert issued.ticket not in repr(issued)
