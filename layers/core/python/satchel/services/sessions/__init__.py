"""Use cases of sessions: start, read, change, end and clean up; and the deletion of all data of a user."""
