"""The building blocks of the stacks. Each construct builds one thing; the stacks connect them."""
