"""Tool calls: dispatch to a runner, execution in the runner, recording of the result."""
