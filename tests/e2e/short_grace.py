"""``python -m tests.e2e.short_grace serve …``: Satchel whose erasures are complete after seconds.

The second pass of an erasure runs after 4 s instead of 16 min. A stopped execution is reported 2 s later, when the
first pass has deleted its turn; on AWS, EventBridge may take that long too.
"""

import threading
from datetime import timedelta

from satchel.domain import users

users.LATE_WRITE_GRACE = timedelta(seconds=4)  # before the import of the modules that copy it

REPORT_DELAY_SECONDS = 2.0


def main() -> None:
    """Run the command line with shorter times between sweeps, and with late reports of stopped executions."""
    from infra import limits  # noqa: PLC0415  (after the change above)
    from local.cli.main import main as run  # noqa: PLC0415  (after the change above)
    from local.emulator.aws.moto_patches import execution_events  # noqa: PLC0415  (after the change above)

    set_listener = execution_events.set_listener

    def set_late_listener(listener: execution_events.Listener | None) -> None:
        if listener is None:
            set_listener(None)
        else:
            set_listener(lambda event: threading.Timer(REPORT_DELAY_SECONDS, listener, [event]).start())

    execution_events.set_listener = set_late_listener
    limits.SWEEP_MINUTES = 1 / 60  # type: ignore[assignment]  # the sweep starts the second pass
    run()


if __name__ == "__main__":
    main()
