"""Timeouts and sizes of the deployed system, in one place because they depend on each other."""

# Lambda's maximum for a function. Runners use all of it.
RUNNER_SECONDS = 900

# At least the absolute limit of any call, so that the runner reports a timeout before the state machine does.
CALL_TIMEOUT_SECONDS = 900

# The maximum run time of a tool, whatever its server's entry says. The remaining 60 s of the runner and of the waiting
# task are for downloading inputs and for collecting and storing files.
TOOL_MAX_SECONDS = min(RUNNER_SECONDS, CALL_TIMEOUT_SECONDS) - 60
TOOL_SILENCE_SECONDS = 30

# A canceled tool is stopped at the next heartbeat. The state machine gives up a runner that sends no heartbeat for the
# timeout. A timer sends the heartbeats, so a tool may be silent for longer than that.
HEARTBEAT_INTERVAL_SECONDS = 1
HEARTBEAT_TIMEOUT_SECONDS = 35

# A runner's /tmp holds the inputs of a call and the tool's output. Inputs may fill this share of it.
RUNNER_DISK_MIB = 2048
INPUT_DISK_SHARE = 0.5

# Environment variables of the functions that set the tool timeouts of a call; the runner gets them with each call.
TOOL_TIMEOUT_ENVIRONMENT = {
    "SATCHEL_TOOL_SILENCE_SECONDS": str(TOOL_SILENCE_SECONDS),
    "SATCHEL_TOOL_MAX_SECONDS": str(TOOL_MAX_SECONDS),
}

# The user has an hour to approve or deny a call. A turn may ask for several approvals.
APPROVAL_SECONDS = 3600
TURN_TIMEOUT_SECONDS = 4 * 3600

# API Gateway times out after 30 s. A long poll takes 25 s.
API_SECONDS = 29

# The think function waits for the model, including retries. The other steps only read and write.
THINK_SECONDS = 300
MODEL_SECONDS = THINK_SECONDS - 30
STEP_SECONDS = 60

# Lambda accepts 6 MB in a request, and binary bodies are base64-encoded.
MAX_BODY_BYTES = 4_500_000

# Deleting all data of a user may take longer than a function may run; the sweep then deletes the rest.
ERASE_SECONDS = 900

# Links are valid for at most a day. Rotation breaks none: it is monthly, and the previous key is still accepted.
KEY_ROTATION_DAYS = 30

# Interval of the sweep that deletes expired data. A sweep times out before the next one starts.
SWEEP_MINUTES = 15
SWEEP_SECONDS = SWEEP_MINUTES * 60 - 30

# Listing a server's tools starts the server. A list is valid for hours, because every deployment lists the tools of all
# servers again and only remote servers change in between. Failed or stale lists are retried at the next interval.
REFRESH_MINUTES = 5
REFRESH_SECONDS = REFRESH_MINUTES * 60 - 10
TOOL_LIST_TTL_SECONDS = 6 * 3600

# Deleting the data of a session may take longer than a function may run; the sweep then deletes the rest.
CLEAR_SECONDS = 900
