# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of NMS_TRT and NMSDynamic_TRT: boxes by the formulas of SSD, suppressed by ONNX Runtime."""
import numpy as np
from case import Case, shortTypes, withNan
from reference import bestBoxes, realSize

kInputs = ["loc_data", "conf_data", "prior_data"]


def decoded(locations, priors, code, isInTarget=False):
    """Corners [B,N,1 or C,4] of locations of that shape; priors [B,2,N,4], in double."""
    said, prior, variance = locations.astype(np.float64), priors[:, 0, :, None], priors[:, 1, :, None]
    if code == 3:
        said = said[..., [1, 0, 3, 2]]
    if code == 3 or not isInTarget:
        said = said * variance
    size = prior[..., 2:] - prior[..., :2]
    if code == 0:
        return prior + said
    if code == 2:
        return prior + said * np.concatenate([size, size], -1)
    middle = (prior[..., :2] + prior[..., 2:]) / 2 + said[..., :2] * size
    extent = np.exp(said[..., 2:]) * size
    return np.concatenate([middle - extent / 2, middle + extent / 2], -1)


def expected(boxes, scores, most, topK=40, iou=0.5, threshold=0.3, background=-1, border=0):
    """boxes [B,N,1 or C,4], scores [B,N,C]; the other arguments as in bestBoxes()."""
    boxes, batch = boxes.astype(np.float32), len(scores)
    detections, counts = np.zeros((batch, 1, most, 7), np.float32), np.zeros((batch, 1, 1, 1), np.int32)
    for b in range(batch):
        kept = bestBoxes(boxes[b], scores[b], iou, threshold, most, topK, background=background, border=border)
        counts[b] = len(kept)
        detections[b, 0, :, :2] = b, -1
        for i, (place, label) in enumerate(kept):
            corners = boxes[b, place, label % boxes.shape[2]].clip(0, 1)
            detections[b, 0, i, 1:] = [label, scores[b, place, label], *corners]
    return {"detections": detections, "keepCount": counts.view(np.float32)}


def fields(**changed):
    return {"shareLocation": 1, "varianceEncodedInTarget": 0, "backgroundLabelId": -1, "numClasses": 3, "topK": 40,
            "keepTopK": 20, "confidenceThreshold": 0.3, "nmsThreshold": 0.5, "inputOrder": [0, 1, 2], "confSigmoid": 0,
            "isNormalized": 1, "codeType": 1, "plugin_version": "1", **changed}


def case(name, attributes, locations, scores, priors, outputs, op="NMSDynamic_TRT", **options):
    """Locations [B,N,1 or C,4], scores [B,N,C], priors [B or 1,2,N,4]."""
    count, classes = scores.shape[1:]
    inputs = [locations.reshape(len(locations), count * locations.shape[2] * 4, 1, 1),
              scores.reshape(len(scores), count * classes, 1, 1), priors.reshape(len(priors), 2, count * 4, 1)]
    order = attributes.get("inputOrder", [0, 2, 1])
    names = sorted(range(3), key=lambda i: order[i] if sorted(order) == [0, 1, 2] else i)
    return Case(name, op, attributes, {kInputs[i]: inputs[i] for i in names}, outputs, **options)


def data(random, pictures, priorsOf, places=50, each=1, scale=1):
    middle, extent = random.uniform(0, scale, (priorsOf, places, 2)), random.uniform(0.1, 0.4, (priorsOf, places, 2))
    corners = np.concatenate([middle - scale * extent / 2, middle + scale * extent / 2], -1)
    variance = np.broadcast_to([0.1, 0.15, 0.2, 0.25], corners.shape)
    return (random.uniform(-2, 2, (pictures, places, each, 4)).astype(np.float32),
            random.uniform(0, 1, (pictures, places, 3)).astype(np.float32),
            np.stack([corners, variance], 1).astype(np.float32))


def cases():
    random = np.random.default_rng(17)
    locations, scores, priors = data(random, 3, 3)
    for code, name in enumerate(["corners", "center and size", "corners in sizes", "center and size, y first"]):
        for isInTarget in (0, 1):
            boxes = decoded(locations, priors, code, isInTarget)
            yield case(f"{name}, variances in the target: {isInTarget}",
                       fields(codeType=code, varianceEncodedInTarget=isInTarget), locations, scores, priors,
                       expected(boxes, scores, 20), open=(0,))
    boxes = decoded(locations, priors, 1)
    yield from selections(random, boxes, locations, scores, priors)
    same = decoded(locations, priors[:1], 3)
    defaults = {"numClasses": 3, "topK": 40, "keepTopK": 20}
    yield case("defaults, priors of one image", defaults, locations, scores, priors[:1],
               expected(same, scores, 20, threshold=0), op="NMS_TRT")
    yield case("the first image's priors for all", fields(codeType=3), locations, scores, priors,
               expected(same, scores, 20), op="NMS_TRT")
    own = decoded(locations, priors, 3)
    yield case("each image's own priors", fields(codeType=3, isBatchAgnostic=0), locations, scores, priors,
               expected(own, scores, 20), op="NMS_TRT")
    yield case("the first image's priors for all, as a field requires", fields(codeType=3, isBatchAgnostic=1),
               locations, scores, priors, expected(same, scores, 20))
    yield from real(boxes, locations, scores, priors)
    yield from refusals(locations, scores, priors, expected(boxes, scores, 20))


def real(boxes, locations, scores, priors):
    """Version real_size."""
    def each(name, pictures, threshold=0.3):
        padded = expected(boxes[:pictures], scores[:pictures], 20, threshold=threshold)
        padded["detections"] = padded["detections"][:, 0]
        return case("rows without padding: " + name, fields(plugin_version="real_size", confidenceThreshold=threshold),
                    locations[:pictures], scores[:pictures], priors[:pictures], realSize(padded, "keepCount"), tolerance=1e-4)

    yield each("three images", 3, 0.95)
    yield each("rows for all", 3)
    yield each("no images", 0)
    yield each("nothing is sure enough", 2, 1.0)


def selections(random, boxes, locations, scores, priors):
    def each(name, attributes, *arguments, of=scores, **options):
        return case(name, attributes, locations, of, priors, expected(boxes, scores, *arguments, **options))

    yield each("the background is not an object", fields(backgroundLabelId=0), 20, background=0)
    yield each("few of a class, and more of an image", fields(topK=5, keepTopK=12), 12, 5)
    yield each("more rows than boxes", fields(topK=2**31 - 1, keepTopK=160), 160, 5000)
    yield each("other thresholds", fields(confidenceThreshold=0.6, nmsThreshold=0.2), 20, iou=0.2, threshold=0.6)
    yield each("nothing is sure enough", fields(confidenceThreshold=1.0), 20, threshold=1)
    yield each("another order of the inputs", fields(inputOrder=[2, 0, 1]), 20)
    yield each("a sigmoid on the scores", fields(confSigmoid=1), 20, of=np.log(scores / (1 - scores)))
    separate, values, theirs = data(random, 1, 1, each=3)
    yield case("a box for each class, one image", fields(shareLocation=0), separate, values, theirs,
               expected(decoded(separate, theirs, 1), values, 20))
    pixels, values, theirs = data(random, 2, 2, scale=60)
    large = np.round(decoded(pixels, theirs, 0))
    theirs[:, 0], theirs[:, 1] = large[:, :, 0], 1
    yield case("boxes of pixels", fields(isNormalized=0, codeType=0, nmsThreshold=0.35), 0 * pixels, values, theirs,
               expected(large, values, 20, iou=0.35, border=1))
    for axis, what in ((0, "pictures"), (1, "priors")):
        none = [locations.take(range(0), axis), scores.take(range(0), axis), priors.take(range(0), 2 * axis)]
        yield case(f"no {what}", fields(), *none, expected(decoded(none[0], none[2], 1), none[1], 20))
    exact, tied = np.zeros_like(locations), np.round(scores * 8) / 8
    steps = np.round(priors * 64) / 64
    yield case("numbers that are exact, the count's bits and the order of ties too", fields(codeType=0), exact, tied,
               steps, expected(decoded(exact, steps, 0), tied, 20), tolerance=0)
    for name, dtype, options in shortTypes():
        short = [array.astype(dtype) for array in (exact, tied, steps)]
        wide = expected(decoded(exact, short[2].astype(np.float32), 0), tied, 20)
        yield case(name, fields(codeType=0), *short, {**wide, "detections": wide["detections"].astype(dtype)}, **options)
    unknown = withNan(scores, (0, slice(None, None, 3)), (1, slice(None), 2))
    yield case("scores that are not numbers are not objects", fields(), locations, unknown, priors,
               expected(boxes, np.nan_to_num(unknown, nan=-1), 20))
    lost = withNan(locations, (0, slice(None, None, 5), 0, 1), (2, 7, 0, 3))
    yield case("a box whose position is not a number overlaps none", fields(), lost, scores, priors,
               expected(decoded(lost, priors, 1), scores, 20))


def refusals(locations, scores, priors, outputs):
    texts = {
        "numClasses has to be given, 1 or more": fields(numClasses=0),
        "topK has to be given, 1 or more": fields(topK=0),
        "keepTopK has to be given, 1 or more": fields(keepTopK=0),
        "codeType has to be 0 to 3": fields(codeType=4),
        "inputOrder has to be 0, 1 and 2, in the order of locations, scores and priors": fields(inputOrder=[0, 1, 1]),
        "input 'loc_data' has 200 numbers for an image; expected 600, 200 for each of 3 classes": fields(shareLocation=0),
        "input 'conf_data' has 150 numbers for an image; expected 200, 50 for each of 4 classes": fields(numClasses=4)}
    for text, attributes in texts.items():
        yield case("refused: " + text, attributes, locations, scores, priors, outputs,
                   refusal="NMSDynamic_TRT: " + text)
    odd = case("refused: coordinates that are left", fields(), locations, scores, priors, outputs,
               refusal="NMSDynamic_TRT: input 'prior_data' has 199 coordinates; expected 4 for each prior")
    odd.inputs["prior_data"] = odd.inputs["prior_data"][:, :, 1:]
    yield odd
