"""Use cases of files: upload, list, read, keep, delete, share and download them, and show them to the model."""
