"""CDK constructs, the building blocks of the stacks. Each one creates the resources of one part of the deployment."""
