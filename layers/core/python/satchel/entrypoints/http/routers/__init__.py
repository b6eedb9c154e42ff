"""One module a resource; each offers ``router``."""
