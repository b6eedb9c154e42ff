"""Use cases for tool calls: send a call to its runner function, run the tool in the runner, and record the result."""
