"""Summarize a CSV file: `reader` computes statistics, `rendering` draws them. Neither imports the other."""

from .reader import read_in_steps
from .rendering import draw_chart, render_page
from .table import Table

__all__ = ["Table", "draw_chart", "read_in_steps", "render_page"]
