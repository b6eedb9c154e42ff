"""The times and sizes of the deployed system. They hang together, so they stand together."""

# Lambda ends any function after this many seconds; a runner is given all of it.
RUNNER_SECONDS = 900

# The longest that a tool may run: what is left of the runner's time is for collecting and storing its files.
TOOL_MAX_SECONDS = 840
TOOL_SILENCE_SECONDS = 30

# A cancelled tool is dead after a beat. A runner that is silent for so many of them is dead itself.
BEAT_SECONDS = 2
HEARTBEAT_SECONDS = 35

# A runner's /tmp holds the inputs of a call and what the tool makes of them.
RUNNER_DISK_MIB = 2048
MAX_INPUT_BYTES = RUNNER_DISK_MIB * (1 << 20) // 2

# What those are told who need it; a runner learns it with each call.
TOOL_TIMES = {
    "SATCHEL_TOOL_SILENCE_SECONDS": str(TOOL_SILENCE_SECONDS),
    "SATCHEL_TOOL_MAX_SECONDS": str(TOOL_MAX_SECONDS),
}

# Above the absolute cap of a call, so that the runner's own word always comes first.
CALL_TIMEOUT_SECONDS = 900

# A person is given an hour to say whether a call may be made; a turn may ask several times.
APPROVAL_SECONDS = 3600
TURN_TIMEOUT_SECONDS = 4 * 3600

# API Gateway answers for the function after 30 s; a long poll of 25 s fits.
API_SECONDS = 29

# A model may take its time; the other steps only read and write.
THINK_SECONDS = 300
STEP_SECONDS = 60

# Lambda takes 6 MB in one request, in which a body that is not text travels as base64.
MAX_BODY_BYTES = 4_500_000
