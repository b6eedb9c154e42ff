"""One tool call: allowed and sent, run and watched, its outcome made into files, events and records."""
