"""A turn from the person's message to its one end: rounds of the model, approvals, what its owner reads."""
