"""What others offer for the same work, each installed from its own pinned requirements, apart from everything else."""
