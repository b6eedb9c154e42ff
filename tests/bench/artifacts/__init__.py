"""Parts of the artifact benchmark: an object store in its own process, and one process for each variant."""
