"""Request and response bodies that are not domain models already, and the query parameters of lists."""
