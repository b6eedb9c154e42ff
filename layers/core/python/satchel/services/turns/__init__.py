"""Use cases of turns: start a turn, request the model's replies, ask for approvals, end and read the turn."""
