"""Which tools there are, and who may use them."""
