"""The CSV report: read a file into a table, render the table. Imports go one way: reader and rendering → table."""

from .reader import read_in_steps
from .rendering import draw_chart, render_page
from .table import Table

__all__ = ["Table", "draw_chart", "read_in_steps", "render_page"]
