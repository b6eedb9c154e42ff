"""Tests of files larger than memory, with the API in a process of its own as in the cloud."""
