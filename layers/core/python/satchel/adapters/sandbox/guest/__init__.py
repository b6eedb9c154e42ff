"""What runs inside a server that is Python: ``start`` first, by it ``guard``; nothing else of Satchel is there."""
