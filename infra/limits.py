"""Timeouts and size limits of the AWS deployment, in one module because they depend on each other."""

# Time limit of a runner (a function that executes tools): the maximum that Lambda allows.
RUNNER_SECONDS = 900

# The state machine's time limit for a tool call. A limit below the runner's could end calls that are still running.
CALL_TIMEOUT_SECONDS = 900

# The maximum run time of a tool. A server's mcp.json entry can only lower it. The runner needs the other 60 s of a call
# to download input files, and to collect and store output files.
TOOL_MAX_SECONDS = min(RUNNER_SECONDS, CALL_TIMEOUT_SECONDS) - 60
TOOL_SILENCE_SECONDS = 30

# A timer in the runner sends heartbeats, even while a tool is silent. If no heartbeat arrives within the timeout, the
# call fails: two lost heartbeats are tolerated. All tools of an account share the quota of SendTaskHeartbeat, so
# heartbeats are rare. The runner learns from the table, within a second, that the user canceled the call.
HEARTBEAT_INTERVAL_SECONDS = 10
HEARTBEAT_TIMEOUT_SECONDS = 35

# Lambda keeps a user's environment of a runner for some minutes after a call, and calls of further users fail if there
# are too many environments. AWS allows 2,500 for each 1,000 of concurrency: of the account, or reserved for the runner.
ENVIRONMENTS_PER_EXECUTION = 2.5
MIN_RUNNER_CONCURRENCY = 40

# Memory of each function, by its folder. docs/deploy.md says why. A full core is given at FULL_CORE_MB; below, Lambda
# gives a share in proportion. The runners' memory is the default of mcp.json.
FULL_CORE_MB = 1769
MEMORY_MB = {
    "api": 1024,
    "bridge": 512,
    "dispatch": 1280,
    "empty_bucket": 512,
    "end_session": 512,
    "erase": 512,
    "expire": 512,
    "finish": FULL_CORE_MB,
    "page": 1024,
    "publish_page": 512,
    "push": 512,
    "refresh": 512,
    "rotate": 256,
    "run_tool": 1024,
    "sockets": 512,
    "think": 768,
}

# A runner's /tmp holds a call's input files and the tool's output. Input files may fill INPUT_DISK_SHARE of it.
RUNNER_DISK_MIB = 2048
INPUT_DISK_SHARE = 0.5

# Environment variables with the default time limits of tools. The dispatch function adds them to each call.
TOOL_TIMEOUT_ENVIRONMENT = {
    "SATCHEL_TOOL_SILENCE_SECONDS": str(TOOL_SILENCE_SECONDS),
    "SATCHEL_TOOL_MAX_SECONDS": str(TOOL_MAX_SECONDS),
}

# The user has an hour to approve or deny a tool call. A turn may take longer, because it may need several approvals.
APPROVAL_SECONDS = 3600
TURN_TIMEOUT_SECONDS = 7 * 24 * 3600
# For the answers to the questions of a tool, the state machine waits a little longer than the user has time, so that
# the function that stored the questions decides whether an answer is late. A turn has room for more than the questions.
INPUT_GRACE_SECONDS = 60
MAX_INPUT_SECONDS = TURN_TIMEOUT_SECONDS - 24 * 3600

# Time limit of functions behind API Gateway: below its timeout of 30 s, and above the 25 s of a long-polling request.
API_SECONDS = 29

# The think function waits for the model, including retries. Other steps only read and write data, so 60 s are enough.
THINK_SECONDS = 300
MODEL_SECONDS = THINK_SECONDS - 30
STEP_SECONDS = 60

# Maximum HTTP request body: Lambda accepts events up to 6 MB, and base64 makes a binary body a third larger.
MAX_BODY_BYTES = 4_500_000

# Time limit for deleting all data of a user. If it is reached, the periodic sweep deletes the remaining data.
ERASE_SECONDS = 900

# Key rotation breaks no download link: links expire within a day, and the previous signing key stays valid for a month.
KEY_ROTATION_DAYS = 30

# Time limit of the bridge: the maximum that Lambda allows. Its responses end a little earlier, because Lambda would cut
# them off.
BRIDGE_SECONDS = 900
BRIDGE_RESPONSE_SECONDS = BRIDGE_SECONDS - 30

# Interval and timeout of the sweep, which deletes expired data. A sweep times out before the next one starts.
SWEEP_MINUTES = 15
SWEEP_SECONDS = SWEEP_MINUTES * 60 - 30

# Tool lists of MCP servers stay valid for hours, because listing tools starts the server. Each deployment lists all
# tools again, and only remote servers change in between. Failed or expired lists are requested again at the interval.
REFRESH_MINUTES = 5
REFRESH_SECONDS = REFRESH_MINUTES * 60 - 10
TOOL_LIST_TTL_SECONDS = 6 * 3600

# Interval at which the page is checked, and published if it is not the deployed one. Each deployment publishes it, too.
PAGE_CHECK_MINUTES = 15

# Time limit for deleting the data of a session. If it is reached, the periodic sweep deletes the remaining data.
CLEAR_SECONDS = 900
