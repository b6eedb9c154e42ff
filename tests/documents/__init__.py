"""Documents for tests. Each is made without the library that the documents server reads it with."""
