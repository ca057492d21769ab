# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of PillarScatterPlugin, by numpy's indexing."""
import numpy as np
from case import Case, bfloat16, withNan


def case(name, voxels, coords, counts, shape=(5, 7), expected=True, **options):
    y = np.zeros((voxels.shape[0], voxels.shape[2], *(tuple(shape) + (1, 1))[:2]), voxels.dtype)
    if expected:
        for n, count in enumerate(counts):
            y[n][:, coords[n, :count, 2], coords[n, :count, 3]] = voxels[n, :count].T
    return Case(name, "PillarScatterPlugin", {"dense_shape": list(shape)},
                {"voxels": voxels, "voxel_coords": coords, "num_pillar": counts}, {"dense_feature_map": y}, **options)


def cases():
    random = np.random.default_rng(20)
    voxels = random.normal(0, 1, (2, 9, 3)).astype(np.float32)
    coords = np.zeros((2, 9, 4), np.int32)
    for n in range(2):
        coords[n, :, 2], coords[n, :, 3] = np.divmod(random.permutation(35)[:9], 7)
    counts = np.array([6, 9], np.int32)
    unused = coords.copy()
    unused[0, 6:] = -1 # pillars beyond num_pillar may have any values
    yield case("open sizes", voxels, unused, counts, open=(0,))
    yield case("none is valid", voxels, coords, np.zeros(2, np.int32))
    yield case("no pillars", voxels[:, :0], coords[:, :0], np.zeros(2, np.int32))
    yield case("no features", voxels[:, :, :0], coords, counts)
    same = coords.copy()
    same[:, 1:4] = coords[:, :1]
    yield case("of several pillars at a position, the last", voxels, same, counts)
    wide = random.normal(0, 1, (1, 40, 37)).astype(np.float32)
    spread = np.zeros((1, 40, 4), np.int32)
    spread[0, :, 2], spread[0, :, 3] = np.divmod(random.permutation(64 * 48)[:40], 48)
    yield case("many features", wide, spread, np.array([40], np.int32), (64, 48))
    yield case("half precision", voxels.astype(np.float16), coords, counts, flags=["--stronglyTyped"])
    yield case("bfloat16", voxels.astype(bfloat16), coords, counts, flags=["--stronglyTyped"])
    for count in (1, 3):
        yield case(f"{count} maps, NaN", *(np.concatenate([each, each])[:count] for each in
                                           (withNan(voxels, (0, 2), (0, 8)), coords, counts)), open=(0,))
    text = "dense_shape has to be given, two numbers, height and width, 1 or more"
    for shape in ([5], [5, 0]):
        yield case(f"refused: dense_shape {shape}", voxels, coords, counts, shape, expected=False,
                   refusal="PillarScatterPlugin: " + text)
    yield case("refused: more pillars than there are", voxels, coords, np.array([6, 10], np.int32), expected=False,
               runRefusal="PillarScatterPlugin: num_pillar[1] is 10; expected 0 to 9, the extent of voxels",
               seenByCpuOnly=True)
    outside = coords.copy()
    outside[1, 2, 2:] = [4, 7]
    yield case("refused: a pillar outside", voxels, outside, counts, expected=False,
               runRefusal="PillarScatterPlugin: voxel_coords[1,2] is row 4, column 7; expected a position in dense_shape, "
                          "5 x 7", seenByCpuOnly=True)
