"""What the report server does with a CSV file. Imports point one way: reading and showing → table."""

from .reading import read_in_steps
from .showing import draw_chart, render_page
from .table import Table

__all__ = ["Table", "draw_chart", "read_in_steps", "render_page"]
