"""What the publish_page function is made of."""

from functools import lru_cache

from satchel.adapters import clients
from satchel.adapters.s3_page import S3Page
from satchel.services.publish_page import PublishPage
from satchel.settings import PageSettings


@lru_cache
def build() -> PublishPage:
    """Return the use case, wired."""
    settings = PageSettings()
    return PublishPage(S3Page(clients.s3(), settings.page_bucket), settings.page_folder, settings.page_config)
