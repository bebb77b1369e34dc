"""Pictures of attention and of scores by length: in the terminal, as SVG, as a page, on paper."""

from seq2see.see.heatmap import HeatMap
from seq2see.see.html import to_html
from seq2see.see.lengths import LengthCurve, lengths_svg, render_lengths
from seq2see.see.save import save
from seq2see.see.svg import to_svg
from seq2see.see.terminal import render

__all__ = [
    "HeatMap",
    "LengthCurve",
    "lengths_svg",
    "render",
    "render_lengths",
    "save",
    "to_html",
    "to_svg",
]
