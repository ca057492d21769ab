# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of GridAnchor_TRT and GridAnchorRect_TRT, by the definition in double precision."""
import numpy as np
from case import Case


def expected(fields, maps):
    ratios = np.array(fields["aspectRatios"])
    least, most = fields.get("minSize", 0.2), fields.get("maxSize", 0.95)
    scales = [*(np.linspace(least, most, len(maps))), 1.0]
    for layer, (h, w) in enumerate(maps):
        if layer == 0:
            scale, shape = np.array([0.1, least, least])[:len(ratios)], ratios[:3]
        else:
            scale = np.append(np.full(len(ratios), scales[layer]), np.sqrt(scales[layer] * scales[layer + 1]))
            shape = np.append(ratios, 1.0)
        half = np.stack([scale * np.sqrt(shape), scale / np.sqrt(shape)], -1) / 2
        y, x = np.meshgrid((np.arange(h) + 0.5) / h, (np.arange(w) + 0.5) / w, indexing="ij")
        middle = np.stack([x, y], -1)[:, :, None]
        corners = np.concatenate([middle - half, middle + half], -1)
        variances = np.broadcast_to(fields.get("variance", [0.1, 0.1, 0.2, 0.2]), corners.shape)
        yield np.stack([corners, variances]).reshape(1, 2, -1, 1).astype(np.float32)


kFields = {"aspectRatios": [1.0, 2.0, 0.5, 3.0, 0.33]}


def case(name, attributes, maps, op="GridAnchor_TRT", y=None, **options):
    fields = {**kFields, "numLayers": len(maps), **attributes}
    fields.setdefault("featureMapShapes", list(np.ravel(maps)) if op == "GridAnchorRect_TRT" else [h for h, _ in maps])
    fields = {name: [int(v) for v in value] if name == "featureMapShapes" else value for name, value in fields.items()}
    outputs = expected(fields, maps) if y is None else y
    return Case(name, op, fields, {}, {f"boxes_{i}": values for i, values in enumerate(outputs)}, **options)


def cases():
    six = [(size, size) for size in (19, 10, 5, 3, 2, 1)]
    yield case("six layers", {}, six)
    yield case("scales and variances", {"minSize": 0.3, "maxSize": 0.8, "variance": [0.4, 0.3, 0.2, 0.1]}, six[2:])
    yield case("one layer", {}, six[2:3])
    yield case("two ratios", {"aspectRatios": [1.0, 2.0]}, six[3:])
    yield case("maps that are not squares", {}, [(3, 5), (2, 1), (1, 4)], "GridAnchorRect_TRT")
    y = list(expected(kFields, six[3:]))
    for text, attributes in {
            "minSize has to be finite and above 0; found 0.000000": {"minSize": 0.0},
            "maxSize has to be finite and above 0; found inf": {"maxSize": np.inf},
            "aspectRatios has to be finite and above 0; found -2.000000": {"aspectRatios": [1.0, -2.0]},
            "variance has to be four finite numbers; found 1": {"variance": [1.0]},
            "numLayers has to be 1 or more; found 0": {"numLayers": 0},
            "featureMapShapes has 3 numbers; expected 2147483647, 1 for each of numLayers": {"numLayers": 2**31 - 1},
            "featureMapShapes, layer 1, is 0 x 0; expected 1 or more": {"featureMapShapes": [3, 0, 1]},
            "featureMapShapes, layer 1, is 2147483647 x 2147483647; expected at most 89478485 positions":
                {"featureMapShapes": [3, 2**31 - 1, 1]}}.items():
        yield case("refused: " + text, attributes, six[3:], y=y, refusal="GridAnchor_TRT: " + text)
    yield case("refused: half a map", {"featureMapShapes": [3, 2, 1]}, six[3:], "GridAnchorRect_TRT", y,
               refusal="GridAnchorRect_TRT: featureMapShapes has 3 numbers; expected 6, 2 for each of numLayers")
    yield Case("refused: no ratios", "GridAnchor_TRT", {"numLayers": 1, "featureMapShapes": [2]}, {}, {"y": y[0]},
               refusal="GridAnchor_TRT: aspectRatios has to be given")
