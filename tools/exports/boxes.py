# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Comparing the boxes of detectors. Rounding decides which of two boxes with nearly equal scores comes first, and at a limit
(of overlap, of their number) whether there is one: so boxes are compared as a set, of which a few may differ."""
import numpy

kAlike = 0.95  # of the boxes
kNoise = 1e-6  # relative to an input: some roundings of float32


def boxErrorsOf(found, expected):
    """For each output, the largest error of kAlike of the boxes (rows), relative to the output's largest element; None
    if shapes differ."""
    if any(one.shape != other.shape for one, other in zip(found, expected)):
        return None
    if len({len(one) for one in expected}) != 1 or len(expected[0]) == 0:
        return [float(differences(one[None], other[None]).max(initial=0)) for one, other in zip(found, expected)]
    apart = sum(distances(one, other) for one, other in zip(expected, found))
    order = []
    for row in apart:  # of the remaining ones, the most similar one
        order.append(int(numpy.argmin(row)))
        apart[:, order[-1]] = numpy.inf
    return [float(numpy.quantile(differences(one[order], other).max(axis=1, initial=0), kAlike))
            for one, other in zip(found, expected)]


def differences(one, other):
    """[rows, elements of a row]"""
    one, other = (array.reshape(len(array), -1).astype(numpy.float64) for array in (one, other))
    return numpy.abs(one - other) / (numpy.abs(other).max(initial=0) or 1)


def distances(expected, found):
    """[rows of expected, rows of found]: the largest difference."""
    step = -(-expected[0].size // 256) or 1  # some points of a mask are sufficient
    rows, others = (one.reshape(len(one), -1)[:, ::step].astype(numpy.float64) for one in (expected, found))
    return numpy.abs(rows[:, None] - others[None]).max(axis=2, initial=0) / (numpy.abs(rows).max(initial=0) or 1)


def noiseOf(session, inputs, expected):
    """The largest of ONNX Runtime's own errors if the inputs change in their last digits. `expected` are its outputs for the
    unchanged inputs."""
    random = numpy.random.default_rng(0)
    changed = {name: (one * (1 + kNoise * random.uniform(-1, 1, one.shape))).astype(one.dtype) if one.dtype.kind == "f" else one
               for name, one in inputs.items()}
    return max(boxErrorsOf(session.run(None, changed), expected) or [0])
