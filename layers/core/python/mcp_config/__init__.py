"""Reads mcp.json in the forms that MCP clients use, and translates its entries into one form.

``satchel`` (at run time) and ``infra`` (at deployment) read the file with this package, so that both accept the same
files. It imports the standard library only, and neither ``satchel`` nor ``infra``. The values of placeholders are no
concern of this package: it only rewrites their spellings.

``jsonc`` parses the text, ``layouts`` finds the table of servers, ``entries`` translates one entry, ``placeholders``
translates the placeholders in its texts, and ``config_file`` puts the parts together.
"""

from mcp_config.config_file import Config, ConfigFileError, base_folder, read_config, server_name
from mcp_config.placeholders import WORKSPACE, placeholder_names, required_names, substitute

__all__ = [
    "WORKSPACE",
    "Config",
    "ConfigFileError",
    "base_folder",
    "placeholder_names",
    "read_config",
    "required_names",
    "server_name",
    "substitute",
]
