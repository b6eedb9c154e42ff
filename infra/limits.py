"""The times and sizes of the deployed system. They hang together, so they stand together."""

# Lambda ends any function after this many seconds; a runner is given all of it.
RUNNER_SECONDS = 900

# Above the absolute cap of any call, so that the runner's own word always comes first.
CALL_TIMEOUT_SECONDS = 900

# The longest that a tool may run, whatever its server's entry asks for: what is left of the runner's time, and of the
# waiting task's, is for bringing inputs and for collecting and storing files.
LONGEST_TOOL_SECONDS = min(RUNNER_SECONDS, CALL_TIMEOUT_SECONDS) - 60
TOOL_MAX_SECONDS = LONGEST_TOOL_SECONDS
TOOL_SILENCE_SECONDS = 30

# A cancelled tool is dead after a beat. A runner that is silent for so many of them is dead itself; it beats by a timer
# of its own, so that a tool may be silent for longer than that.
BEAT_SECONDS = 1
HEARTBEAT_SECONDS = 35

# A runner's /tmp holds the inputs of a call and what the tool makes of them: half for each.
RUNNER_DISK_MIB = 2048
INPUT_SHARE = 0.5

# What those are told who need it; a runner learns it with each call.
TOOL_TIMES = {
    "SATCHEL_TOOL_SILENCE_SECONDS": str(TOOL_SILENCE_SECONDS),
    "SATCHEL_TOOL_MAX_SECONDS": str(TOOL_MAX_SECONDS),
}

# A person is given an hour to say whether a call may be made; a turn may ask several times.
APPROVAL_SECONDS = 3600
TURN_TIMEOUT_SECONDS = 4 * 3600

# API Gateway answers for the function after 30 s; a long poll of 25 s fits.
API_SECONDS = 29

# A model may take its time, with all that is tried again; the other steps only read and write.
THINK_SECONDS = 300
MODEL_SECONDS = THINK_SECONDS - 30
STEP_SECONDS = 60

# Lambda takes 6 MB in one request, in which a body that is not text travels as base64.
MAX_BODY_BYTES = 4_500_000

# Deleting everything of a person takes as long as it takes; what is left after that is left to the sweep.
ERASE_SECONDS = 900

# A link lives for a day at most: with a key every month, and the one before it still read, none dies of a new key.
KEY_DAYS = 30

# What has expired is deleted this often; a sweep is over before the next one begins.
SWEEP_MINUTES = 15
SWEEP_SECONDS = SWEEP_MINUTES * 60 - 30

# Asking a server for its tools starts it. The list of one that answered is good for hours, since after a deployment all
# are asked; only servers that are somewhere else change meanwhile. What failed or is doubted is asked at the next look.
REFRESH_MINUTES = 5
REFRESH_SECONDS = REFRESH_MINUTES * 60 - 10
TOOLS_KEPT_SECONDS = 6 * 3600

# Clearing a session takes as long as it takes; what is left after that is left to the sweep.
CLEAR_SECONDS = 900
