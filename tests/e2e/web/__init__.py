"""Browser tests of the web client. A package, so that its modules share one browser, which stops after the last."""
