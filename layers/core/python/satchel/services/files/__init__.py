"""A user's files: upload, file records, file context, links, download and retention."""
