"""Lists of the tools that servers offer, and the users who may call them."""
