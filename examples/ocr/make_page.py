#!/usr/bin/env python3
# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Draws page.txt into page.png, the first and the last line large. Needs Pillow and Debian's fonts-dejavu."""
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

kFonts = "/usr/share/fonts/truetype/dejavu/"
kText = ImageFont.truetype(kFonts + "DejaVuSerif.ttf", 32)
kLarge = ImageFont.truetype(kFonts + "DejaVuSans-Bold.ttf", 48)

folder = Path(__file__).parent
lines = (folder / "page.txt").read_text().splitlines()
page = Image.new("RGB", (1040, 640), "white")
draw = ImageDraw.Draw(page)
y = 40
for number, line in enumerate(lines):
    font = kLarge if number in (0, len(lines) - 1) else kText
    draw.text((60, y), line, fill=(25, 25, 35), font=font)
    y += int(font.size * 1.2) + 36
page.save(folder / "page.png", optimize=True)
