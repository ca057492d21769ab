#!/usr/bin/env python3
# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the reference of TextBoxFinder: make_reference.py DETECTOR.onnx

page_map.png    the text detector's probabilities (0 to 255) for page.png, from ONNX Runtime
page_boxes.txt  the boxes that RapidOCR 1.4.4 (OpenCV and pyclipper) finds in that map: x and y of four corners, score
"""
import sys
from pathlib import Path

import cv2
import numpy as np
import onnxruntime
from rapidocr_onnxruntime.ch_ppocr_det.utils import DBPostProcess, DetPreProcess

folder = Path(__file__).parent
picture = cv2.imread(str(folder.parent / "page.png"))
detector = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
pixels = np.round(detector.run(None, {"x": DetPreProcess(736, "min")(picture)})[0][0, 0] * 255).astype(np.uint8)
cv2.imwrite(str(folder / "page_map.png"), pixels, [cv2.IMWRITE_PNG_COMPRESSION, 9])

find = DBPostProcess(thresh=0.3, box_thresh=0.5, max_candidates=1000, unclip_ratio=1.6, use_dilation=True)
boxes, scores = find(pixels[None, None].astype(np.float32) / 255, pixels.shape)
with open(folder / "page_boxes.txt", "w") as out:
    for box, score in sorted(zip(boxes.tolist(), scores), key=lambda found: found[0][0][1]):
        print(*sum(box, []), round(score, 4), file=out)
