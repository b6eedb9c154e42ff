"""The building blocks of the stacks. A construct builds one thing and knows nothing of its neighbours."""
