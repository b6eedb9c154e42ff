"""A person's files: in, described, found, linked, out, and gone on time."""
