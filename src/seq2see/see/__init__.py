"""Pictures of attention: in the terminal, as SVG, as a page, as PNG and PDF."""

from seq2see.see.heatmap import HeatMap
from seq2see.see.html import to_html
from seq2see.see.save import save
from seq2see.see.svg import to_svg
from seq2see.see.terminal import render

__all__ = ["HeatMap", "render", "save", "to_html", "to_svg"]
