"""Files that fit into no memory, through a system whose API is a process of its own, as it is in the cloud."""
