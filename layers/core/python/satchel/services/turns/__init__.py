"""Use cases for turns: start a turn, request the model's replies, ask for approvals, end a turn and read turns."""
