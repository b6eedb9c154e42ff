"""What nearly every function keeps its records with."""

from datetime import timedelta
from functools import lru_cache

from satchel.adapters import clients
from satchel.adapters.dynamodb.approvals import DynamoApprovals
from satchel.adapters.dynamodb.audit import DynamoAuditTrail
from satchel.adapters.dynamodb.calls import DynamoCalls
from satchel.adapters.dynamodb.dashboards import DynamoDashboards
from satchel.adapters.dynamodb.erasing import DynamoErasures, DynamoUserRemains
from satchel.adapters.dynamodb.events import DynamoEvents
from satchel.adapters.dynamodb.files import DynamoFiles
from satchel.adapters.dynamodb.going import DynamoGoingFiles, DynamoSessionRemains
from satchel.adapters.dynamodb.links import DynamoSharedLinks, DynamoStandings
from satchel.adapters.dynamodb.sessions import DynamoSessions
from satchel.adapters.dynamodb.sockets import DynamoConnections, DynamoSubscriptions, DynamoTickets
from satchel.adapters.dynamodb.table import Table
from satchel.adapters.dynamodb.tool_lists import DynamoToolLists
from satchel.adapters.dynamodb.transcript import DynamoTranscript
from satchel.adapters.dynamodb.turns import DynamoTurns
from satchel.adapters.dynamodb.uploads import DynamoUploads
from satchel.adapters.s3_files import S3Files
from satchel.adapters.s3_uploads import S3Uploads
from satchel.adapters.system_clock import SystemClock
from satchel.settings import AuditSettings, StorageSettings

CLOCK = SystemClock()


class Storage:
    """The table's parts and the bucket."""

    def __init__(self, settings: StorageSettings) -> None:
        table = Table(clients.dynamodb(), settings.table)
        self.sessions = DynamoSessions(table)
        self.turns = DynamoTurns(table)
        self.store = S3Files(clients.s3(), settings.bucket)
        self.transcript = DynamoTranscript(table, self.store)
        self.calls = DynamoCalls(table, self.store)
        self.approvals = DynamoApprovals(table)
        self.files = DynamoFiles(table)
        self.going = DynamoGoingFiles(table)
        self.remains = DynamoSessionRemains(table)
        self.events = DynamoEvents(table, CLOCK)
        self.tickets = DynamoTickets(table)
        self.connections = DynamoConnections(table)
        self.subscriptions = DynamoSubscriptions(table)
        self.dashboards = DynamoDashboards(table)
        self.audit = DynamoAuditTrail(table, timedelta(days=AuditSettings().audit_days))
        self.tool_lists = DynamoToolLists(table)
        self.uploads = DynamoUploads(table)
        self.shared_links = DynamoSharedLinks(table)
        self.standings = DynamoStandings(table)
        self.erasures = DynamoErasures(table)
        self.user_remains = DynamoUserRemains(table)
        self.parts = S3Uploads(clients.s3(), settings.bucket)


@lru_cache
def storage() -> Storage:
    """Return the storage of this process."""
    return Storage(StorageSettings())
