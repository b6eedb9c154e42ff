"""What the benchmark of artifacts needs: an object store in a process of its own; two sides, each in another."""
