"""The real composition root over fake ports, with small limits."""

from datetime import timedelta

from satchel.domain.tools import ToolListing, fresh_tool_list
from satchel.settings import (
    ApprovalSettings,
    CanvasSettings,
    LimitSettings,
    LinkSettings,
    ModelSettings,
    OriginSettings,
    QuotaSettings,
    SessionSettings,
    Settings,
    ThinkSettings,
)
from satchel.use_cases import UseCases
from tests.fakes.ports import FakePorts
from tests.fakes.runners import FakeRunners
from tests.fakes.sessions import ImmediateCleanup
from tests.unit.services.samples import MODELS, REGISTRY, TOOLS

MAX_MESSAGE_BYTES = 1000
MAX_UPLOAD_BYTES = 1000
MAX_INPUT_BYTES = 500
MAX_FILE_BYTES = 50 << 30
MAX_INLINE_BYTES = 100
MAX_ROUNDS = 3
CANVAS_ORIGINS = ("https://dash.example", "http://localhost:9000")
WEB_ORIGINS = ("https://chat.example",)
APPROVAL_TIME = timedelta(hours=1)
SESSION_IDLE = timedelta(days=30)


class Wiring(FakePorts):
    """Fake ports, and the use cases over them. A test may replace a port or a setting at any time."""

    def __init__(self) -> None:
        super().__init__(registry=REGISTRY, runners=FakeRunners(TOOLS))
        self.instructions = ""
        self.context_tokens = 100_000
        self.max_rounds = MAX_ROUNDS
        self.chat_titles = False
        self.persist = True
        self.quotas = QuotaSettings()
        self.cleanup_starter = ImmediateCleanup(self.sessions, lambda: self.use_cases.clean_up_session)
        for server, tools in TOOLS.items():
            self.tool_lists.save(
                server,
                REGISTRY.servers[server].config_hash(),
                fresh_tool_list(ToolListing(tools=tools), self.clock.now()),
            )

    @property
    def settings(self) -> Settings:
        """Return the settings, as the test has set them so far."""
        settings = Settings()
        settings.approvals = ApprovalSettings(approval_seconds=round(APPROVAL_TIME.total_seconds()))
        settings.canvas = CanvasSettings(canvas_origins=CANVAS_ORIGINS)
        settings.limits = LimitSettings(
            max_body_bytes=MAX_UPLOAD_BYTES,
            max_message_bytes=MAX_MESSAGE_BYTES,
            max_inline_bytes=MAX_INLINE_BYTES,
            max_file_size_bytes=MAX_FILE_BYTES,
            max_input_bytes=MAX_INPUT_BYTES,
        )
        settings.links = LinkSettings(capability_secret="none", public_url="https://satchel.example")
        settings.models = ModelSettings(model=MODELS.default, models=MODELS.configured)
        settings.origins = OriginSettings(web_origins=WEB_ORIGINS)
        settings.sessions = SessionSettings(
            persist_files_across_sessions=self.persist, session_idle_hours=SESSION_IDLE / timedelta(hours=1)
        )
        settings.quotas = self.quotas
        settings.think = ThinkSettings(
            max_rounds=self.max_rounds,
            context_tokens=self.context_tokens,
            instructions=self.instructions,
            chat_titles=self.chat_titles,
        )
        return settings

    @property
    def use_cases(self) -> UseCases:
        """Return the use cases over the ports and settings as they are now."""
        return UseCases(ports=self, settings=self.settings)
