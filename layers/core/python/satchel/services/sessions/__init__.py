"""Use cases for sessions: start, read, change, end and clean up sessions, and delete all data of a user."""
