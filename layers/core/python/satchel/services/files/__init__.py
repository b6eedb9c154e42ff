"""Use cases for files: upload, list, read, keep, delete, share and download files, and list files for the model."""
