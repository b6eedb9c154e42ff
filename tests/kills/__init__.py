"""Kill the local server at random moments, and check after each restart that no acknowledged change is lost."""
