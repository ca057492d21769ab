# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of PriorBox_TRT, by the definition in double precision."""
import itertools
import numpy as np
from case import Case


def boxSizes(fields):
    ratios = [1.0]
    for ratio in fields.get("aspectRatios", []):
        if all(abs(ratio - other) >= 1e-6 for other in ratios):
            ratios += [ratio, 1 / ratio] if fields.get("flip", 1) else [ratio]
    for i, least in enumerate(fields["minSize"]):
        yield least, least
        if "maxSize" in fields:
            yield (np.sqrt(least * fields["maxSize"][i]),) * 2
        yield from ((least * np.sqrt(ratio), least / np.sqrt(ratio)) for ratio in ratios[1:])


def expected(fields, features, picture):
    n, _, h, w = features.shape
    height, width = fields.get("imgH", 0), fields.get("imgW", 0)
    if not (height and width):
        height, width = picture.shape[2:]
    down, right = fields.get("stepH", 0), fields.get("stepW", 0)
    if not (down and right):
        down, right = height / max(h, 1), width / max(w, 1)
    offset = fields.get("offset", 0.5)
    corners = [((x + offset) * right + i * bw / 2) / width if axis == 0 else ((y + offset) * down + i * bh / 2) / height
               for y, x, (bw, bh) in itertools.product(range(h), range(w), list(boxSizes(fields)))
               for i in (-1, 1) for axis in (0, 1)]
    if fields.get("clip"):
        corners = np.clip(corners, 0, 1)
    variances = np.resize(fields.get("variance", [0.1] * 4), len(corners))
    one = np.stack([np.asarray(corners, np.float64), variances]).reshape(2, -1, 1)
    return np.broadcast_to(one, (n, *one.shape)).astype(np.float32)


kFeatures, kPicture = np.zeros((2, 3, 4, 5), np.float32), np.zeros((2, 3, 80, 90), np.float32)


def case(name, attributes, features=kFeatures, picture=kPicture, y=None, **options):
    fields = {"minSize": [20.0, 30.0], **attributes}
    return Case(name, "PriorBox_TRT", fields, {"features": features, "picture": picture},
                {"boxes": expected(fields, features, picture) if y is None else y}, **options)


def cases():
    ratios = {"aspectRatios": [2.0, 3.0, 0.5, 1.0]}
    yield case("squares only", {})
    yield case("aspect ratios, each once, and largest sizes", {**ratios, "maxSize": [40.0, 50.0]})
    yield case("aspect ratios that are not flipped", {**ratios, "flip": 0})
    yield case("at the edges", {**ratios, "clip": 1, "variance": [0.1, 0.2, 0.3, 0.4]})
    yield case("an image and steps of the fields", {"imgH": 100, "imgW": 70, "stepH": 16.0, "stepW": 8.0, "offset": 0.25})
    yield case("half of an image and of steps is none", {"imgH": 100, "stepW": 8.0})
    yield case("many sizes", {"minSize": [float(size) for size in range(1, 201)], **ratios})
    yield case("open sizes", ratios, open=(0, 2, 3))
    for count in (1, 3):
        yield case(f"{count} samples, of which no number is read", ratios, np.full((count, 3, 4, 5), np.nan, np.float32),
                   np.full((count, 3, 80, 90), np.nan, np.float32))
    yield case("no samples", ratios, kFeatures[:0], kPicture[:0])
    yield case("no positions", ratios, kFeatures[:, :, :0])
    y = expected({"minSize": [20.0, 30.0]}, kFeatures, kPicture)
    limit = "has to be at most 1000 numbers; found 1001"
    for text, attributes in {"minSize " + limit: {"minSize": [1.0] * 1001},
                             "aspectRatios " + limit: {"aspectRatios": [1.0] * 1001},
                             "minSize has to be finite and above 0; found 0.000000": {"minSize": [0.0]},
                             "maxSize has to be finite and above 0; found inf": {"maxSize": [np.inf, 50.0]},
                             "aspectRatios has to be finite and above 0; found -1.000000": {"aspectRatios": [-1.0]},
                             "maxSize has 1 numbers; expected 2, as minSize, or none": {"maxSize": [40.0]},
                             "maxSize has to be at least minSize, element by element": {"maxSize": [40.0, 29.0]},
                             "variance has to be four finite numbers; found 3": {"variance": [0.1, 0.1, 0.1]},
                             "flip and clip have to be 0 or 1": {"clip": 2},
                             "imgH and imgW have to be 0, as the second input, or more": {"imgW": -1},
                             "stepH and stepW have to be finite, and 0, as the feature map, or more": {"stepH": -1.0},
                             "offset has to be finite": {"offset": np.nan}}.items():
        yield case("refused: " + text, attributes, y=y, refusal="PriorBox_TRT: " + text)
    yield Case("refused: no sizes", "PriorBox_TRT", {}, {"features": kFeatures, "picture": kPicture}, {"boxes": y},
               refusal="PriorBox_TRT: minSize has to be given")
    yield case("refused: an image without pixels", {}, kFeatures, kPicture[..., :0], y,
               refusal="PriorBox_TRT: the second input has no pixels, and imgH and imgW are not given")
