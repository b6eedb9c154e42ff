"""Timeouts and size limits of the AWS deployment, in one module because they depend on each other."""

# Lambda's maximum run time for a function. Runners use all of it.
RUNNER_SECONDS = 900

# Not shorter than a call may take, so that the runner reports a timeout before the state machine detects one.
CALL_TIMEOUT_SECONDS = 900

# The maximum run time of a tool, whatever its server's entry says. The runner needs the other 60 s to download inputs
# and to collect and store files.
TOOL_MAX_SECONDS = min(RUNNER_SECONDS, CALL_TIMEOUT_SECONDS) - 60
TOOL_SILENCE_SECONDS = 30

# The runner learns from a heartbeat's response that the user canceled the call, and then stops the tool. Without
# heartbeats for the timeout, the state machine fails the call. A timer sends them, so tools may be silent for longer.
HEARTBEAT_INTERVAL_SECONDS = 1
HEARTBEAT_TIMEOUT_SECONDS = 35

# A runner's /tmp holds a call's input files and the tool's output. Input files may fill this share of the disk.
RUNNER_DISK_MIB = 2048
INPUT_DISK_SHARE = 0.5

# Environment variables with the default time limits of tools. Dispatch reads them and sends the limits with each call.
TOOL_TIMEOUT_ENVIRONMENT = {
    "SATCHEL_TOOL_SILENCE_SECONDS": str(TOOL_SILENCE_SECONDS),
    "SATCHEL_TOOL_MAX_SECONDS": str(TOOL_MAX_SECONDS),
}

# The user has an hour to approve or deny a call. The limit of a turn is longer, because it may need several approvals.
APPROVAL_SECONDS = 3600
TURN_TIMEOUT_SECONDS = 4 * 3600

# Below API Gateway's timeout of 30 s, and above the 25 s of a long poll.
API_SECONDS = 29

# The think function waits for the model, including retries; the other states only read and write data, so 60 s suffice.
THINK_SECONDS = 300
MODEL_SECONDS = THINK_SECONDS - 30
STEP_SECONDS = 60

# Lambda accepts events up to 6 MB, and base64 makes a binary request body a third larger.
MAX_BODY_BYTES = 4_500_000

# Deleting all data of a user can take longer than this limit; the sweep then deletes the rest.
ERASE_SECONDS = 900

# Rotation breaks no link: links are valid for at most a day, and the previous signing key stays valid for a month.
KEY_ROTATION_DAYS = 30

# Interval and timeout of the sweep, which deletes expired data. A sweep times out before the next one starts.
SWEEP_MINUTES = 15
SWEEP_SECONDS = SWEEP_MINUTES * 60 - 30

# Listing a server's tools starts the server. A list stays valid for hours, because each deployment lists all servers'
# tools again and only remote servers change in between. Failed or stale lists are requested again at the interval.
REFRESH_MINUTES = 5
REFRESH_SECONDS = REFRESH_MINUTES * 60 - 10
TOOL_LIST_TTL_SECONDS = 6 * 3600

# Deleting the data of a session can take longer than this limit; the sweep then deletes the rest.
CLEAR_SECONDS = 900
