"""The web client in a browser: a package, so that one browser can serve its modules and end with the last."""
