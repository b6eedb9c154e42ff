"""Connections that a turn's events are pushed over."""
