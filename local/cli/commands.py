"""Options and help texts of all `satchel` commands.

Each command imports its logic when it runs: this module imports only typer, because httpx2, pydantic and MCP would slow
every ``--help``.
"""

# ruff: noqa: PLC0415  (functions contain imports, so that ``--help`` stays fast)

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from local.cli.connection import Connection
    from satchel.domain.ids import SessionId, UserName

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8000
DEFAULT_BRIDGE_PORT = 8010
MAX_PORT = 65_535
DEFAULT_URL = "http://127.0.0.1:8000"
DEFAULT_CONFIG = Path(__file__).parents[2] / "functions/servers/mcp.json"

UrlOption = Annotated[str, typer.Option(help="URL of the server.", envvar="SATCHEL_URL")]
UserOption = Annotated[str | None, typer.Option(help="User name to send; only a local server accepts it.")]
SessionOption = Annotated[str | None, typer.Option(help="Continue this session instead of starting a new one.")]
OutFolderOption = Annotated[Path | None, typer.Option(help="Save the resulting files in this folder.")]
FileOption = Annotated[
    list[Path] | None,
    typer.Option(help="Upload this file first; repeatable.", exists=True, dir_okay=False, readable=True),
]


def serve(
    *,
    port: Annotated[
        int, typer.Option(help="Port to listen on.", envvar="SATCHEL_PORT", min=0, max=MAX_PORT)
    ] = DEFAULT_PORT,
    host: Annotated[
        str, typer.Option(help="Address to listen on; others than loopback need passwords.", envvar="SATCHEL_HOST")
    ] = DEFAULT_HOST,
) -> None:
    """Run Satchel on this machine until Ctrl-C.

    The whole system runs on this machine with an emulator of AWS. The data stay in the folder SATCHEL_DATA (default:
    ~/.local/share/satchel), or with SATCHEL_DATA=memory in memory until the server stops. Prints an address with the
    key of this start, which every client needs. SATCHEL_LOCAL_KEY, if set, is the key. With SATCHEL_AUTH=password,
    users sign in with the accounts of `satchel user` instead (docs/home-server.md).
    """
    from local.emulator.serve import run

    raise typer.Exit(run(port, host))


def ask(
    message: Annotated[
        str, typer.Argument(help="The message, a prompt (/server.prompt name=value) or a tool call (/server.tool {…}).")
    ],
    *,
    file: FileOption = None,
    tool: Annotated[list[str] | None, typer.Option(help="Allow only this tool; repeatable.")] = None,
    session: SessionOption = None,
    model: Annotated[str | None, typer.Option(help="Use this model, one of those in GET /api/config.")] = None,
    out: OutFolderOption = None,
    url: UrlOption = DEFAULT_URL,
    user: UserOption = None,
) -> None:
    """Send a message to a running server and wait for the answer.

    Prints the answer and lists its files. Prompts for the answers to questions of tools; without a terminal, cancels
    the questions. Sends a bearer token: to a server on this machine its key, which the command
    finds by itself or in SATCHEL_LOCAL_KEY; to other servers the token of `satchel sign-in`, or SATCHEL_TOKEN. Exits
    with 0 if the turn completed, 1 if it failed or was canceled, 2 if a request to the server or a file failed.
    """
    from local.cli.ask import Question, ask_question

    question = Question(
        message=message,
        files=file or [],
        tools=tool or [],
        session=_session_id(session),
        model=model,
        out=out,
    )
    raise typer.Exit(ask_question(_connection(url, user), question))


def tools(
    *,
    url: UrlOption = DEFAULT_URL,
    user: UserOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON, including the schemas.")] = False,
) -> None:
    """List the tools that you can use, by server.

    Exits with 0 if all servers are available, 1 if one is not, 2 if a request to Satchel failed.
    """
    from local.cli.tools import list_tools

    raise typer.Exit(list_tools(_connection(url, user), as_json=json))


def call(
    tool: Annotated[str, typer.Argument(help="The tool, as server.tool.")],
    arguments: Annotated[str, typer.Argument(help="The tool's arguments, a JSON object.")] = "{}",
    *,
    file: FileOption = None,
    session: SessionOption = None,
    out: OutFolderOption = None,
    url: UrlOption = DEFAULT_URL,
    user: UserOption = None,
) -> None:
    """Call one tool without a model and print its results.

    Satchel processes the call like a model's call: it checks groups and schema, adds arguments, and stores files. The
    server must have no model: a model would decide itself which tool to call. Exits with 0 if the tool succeeded,
    1 if it failed, 2 if it could not be called.
    """
    from local.cli.ask import Question
    from local.cli.call import ToolCall, call_tool

    question = Question(message="", files=file or [], session=_session_id(session), out=out)
    raise typer.Exit(call_tool(_connection(url, user), ToolCall(tool, arguments), question))


def upload(
    files: Annotated[
        list[Path],
        typer.Argument(help="Local files of any size.", exists=True, dir_okay=False, readable=True),
    ],
    *,
    session: Annotated[str | None, typer.Option(help="Add the files to this session, not to My Files only.")] = None,
    url: UrlOption = DEFAULT_URL,
    user: UserOption = None,
) -> None:
    """Upload files of any size.

    Large files are uploaded in parts with checksums. To resume an interrupted upload, run the same command again.
    Exits with 0 if all files are uploaded, 2 if one is not.
    """
    from local.cli.upload import upload_files

    raise typer.Exit(upload_files(_connection(url, user), files, _session_id(session)))


def download(
    file: Annotated[str, typer.Argument(help="Key or name of the file; of several with this name, the newest.")],
    *,
    session: Annotated[str | None, typer.Option(help="Search for the name in this session only.")] = None,
    out: Annotated[Path | None, typer.Option(help="Save in this folder, or under this path.")] = None,
    url: UrlOption = DEFAULT_URL,
    user: UserOption = None,
) -> None:
    """Download a file of any size.

    To resume an interrupted download, run the same command again. Exits with 0 if the file is saved, 2 if it is not.
    """
    from local.cli.download import download_file

    raise typer.Exit(download_file(_connection(url, user), file, _session_id(session), out))


def new_server(
    name: Annotated[str, typer.Argument(help="Letters, digits, - and _, starting with a letter.")],
    *,
    app: Annotated[bool, typer.Option("--app", help="The tool shows its result in an app.")] = False,
    config: Annotated[
        Path, typer.Option(help="The mcp.json to add the server to.", envvar="SATCHEL_MCP_CONFIG")
    ] = DEFAULT_CONFIG,
) -> None:
    """Create a working MCP server and its entry in mcp.json.

    The server's folder is created beside mcp.json (for config/overrides/mcp.json: beside config). Exits with 0, or with
    2 if the server cannot be created, for example because it already exists.
    """
    from local.cli.new_server import create_server

    raise typer.Exit(create_server(name, config, app=app))


def add_server(
    source: Annotated[
        str,
        typer.Argument(help="JSON of a configuration, a URL, or a package: npm:NAME, pypi:NAME; - is standard input."),
    ],
    *,
    name: Annotated[str | None, typer.Option(help="Name of the server; default: from the source.")] = None,
    config: Annotated[
        Path, typer.Option(help="The mcp.json to add the server to.", envvar="SATCHEL_MCP_CONFIG")
    ] = DEFAULT_CONFIG,
) -> None:
    """Try a published server, and add it to mcp.json if it lists its tools.

    Exits with 0, with 1 if a server does not start (it is not added, and the reason is printed), or with 2 if the
    source is invalid or the server already exists.
    """
    from local.cli.add_server import add_servers

    text = typer.get_text_stream("stdin").read() if source == "-" else source
    raise typer.Exit(add_servers(text, name, config))


def lint(
    file: Annotated[
        typer.FileBinaryRead | None,
        typer.Argument(help="A tool's output or the raw result of tools/call, as JSON; - is standard input."),
    ] = None,
    *,
    server: Annotated[str | None, typer.Option(help="Call a tool of this server: its command line, quoted.")] = None,
    cwd: Annotated[Path | None, typer.Option(help="Working directory of the server; default: this one.")] = None,
    tool: Annotated[str | None, typer.Option(help="The tool to call.")] = None,
    args: Annotated[str | None, typer.Option(help="The tool's arguments, a JSON object.")] = None,
    user: Annotated[
        str | None, typer.Option(help="Allow only /tmp/{username}/ of this user; default: any user.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    notes: Annotated[bool, typer.Option("--notes", help="Print notes, too: correct, but could be better.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Count warnings as errors.")] = False,
) -> None:
    """Check a tool's output against the contract.

    Reads the output from a file, or calls the tool (--server, --tool, --args) and checks what it returns. Exits with 0
    if there are no errors, 1 if there are, 2 if there is no output to check.
    """
    if (file is None) == (server is None):
        raise typer.BadParameter("give either a file or --server")
    if server is None and (tool or args or cwd):
        raise typer.BadParameter("--tool, --args and --cwd require --server")
    if server is not None and not tool:
        raise typer.BadParameter("--server requires --tool")
    from local.lint.command import ReportOptions, lint_file, lint_tool

    options = ReportOptions(json=json, notes=notes, strict=strict)
    if file is not None:
        raise typer.Exit(lint_file(file.read(), _user_name(user), options))
    raise typer.Exit(lint_tool(server or "", tool or "", args or "{}", _user_name(user), cwd, options))


def doctor() -> None:
    """Report how well this machine isolates tools.

    Lists the active and the missing layers of isolation. Exits with 0 if the isolation level is at least
    SATCHEL_MIN_ISOLATION, otherwise with 1.
    """
    from local.cli.doctor import report_isolation

    raise typer.Exit(report_isolation())


def sign_in(
    *,
    user: Annotated[str, typer.Option(help="The name of your account.", prompt="User")],
    url: UrlOption = DEFAULT_URL,
    password_stdin: Annotated[
        bool, typer.Option("--password-stdin", help="Read the password from the first line of standard input.")
    ] = False,
) -> None:
    """Sign in at a server with passwords, for the other commands.

    Asks for the password. The token of the sign-in is stored in a file that only your account of this machine can read,
    until `satchel sign-out`. Exits with 0, or with 2 if the server refuses.
    """
    from local.cli.sign_in import sign_in as run
    from local.cli.user import ask_password

    raise typer.Exit(run(url, user, ask_password(confirm=False, from_stdin=password_stdin)))


def sign_out(*, url: UrlOption = DEFAULT_URL) -> None:
    """End the sign-in of `satchel sign-in` at a server.

    Exits with 0, or with 2 if the server cannot be reached.
    """
    from local.cli.sign_in import sign_out as run

    raise typer.Exit(run(url))


def models(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Models to list, by their names in the settings or as provider:model; default: all."),
    ] = None,
    *,
    ping: Annotated[bool, typer.Option(help="Ask each model a question, which costs some tokens.")] = False,
) -> None:
    """List the configured models and, with --ping, test whether they answer.

    SATCHEL_MODEL and SATCHEL_MODELS define the models. Exits with 0, or with 1 if a tested model did not answer or the
    settings are invalid.
    """
    from local.cli.models import list_models

    raise typer.Exit(list_models(names or [], ping=ping))


def deploy_check(
    *,
    context: Annotated[list[str] | None, typer.Option("-c", help="A setting as name=value; repeatable.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print only what needs an action.")] = False,
) -> None:
    """Check what would fail in your AWS account.

    Reads the settings like the cdk command (cdk.json and -c), and the account with your AWS credentials, and changes
    nothing. Exits with 0 if nothing will fail, also with warnings, 1 if something will, 2 without credentials or with
    invalid settings.
    """
    from local.deploy_check.command import check_deployment

    raise typer.Exit(check_deployment(context or [], quiet=quiet))


def bridge(
    *,
    url: UrlOption = DEFAULT_URL,
    port: Annotated[int, typer.Option(help="Port to listen on.", min=1, max=MAX_PORT)] = DEFAULT_BRIDGE_PORT,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = DEFAULT_HOST,
    origin: Annotated[
        list[str] | None, typer.Option(help="Let pages of this origin use the bridge in a browser; repeatable.")
    ] = None,
    link_seconds: Annotated[
        int,
        typer.Option(
            help="How long links to files are valid.", envvar="SATCHEL_BRIDGE_LINK_SECONDS", min=1, max=86_400
        ),
    ] = 86_400,
) -> None:
    """Serve chat completions and AG-UI for other front ends.

    Sends every request to a Satchel server. Clients send their own Satchel token as the API key. Exits with 0, or with
    1 if the port cannot be used (docs/bridge.md).
    """
    from local.bridge.caller import BridgeSettings
    from local.bridge.serve import run

    raise typer.Exit(run(host, port, BridgeSettings(url.rstrip("/"), link_seconds), origin or []))


def _connection(url: str, user_option: str | None) -> "Connection":
    from local.cli.connection import Connection, find_token

    return Connection(url, user=_user_name(user_option), token=find_token(url))


def _user_name(option: str | None) -> "UserName | None":
    from satchel.domain.ids import UserName

    return None if option is None else UserName(option)


def _session_id(session: str | None) -> "SessionId | None":
    from satchel.domain.ids import SessionId

    return None if session is None else SessionId(session)
