"""Use cases of tool calls: send a call to a runner, run the tool in the runner, record the result."""
