"""Sessions, their cleanup, and the erasure of users."""
