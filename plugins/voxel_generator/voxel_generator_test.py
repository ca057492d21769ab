# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of VoxelGeneratorPlugin: pillars by numpy's floor in float, as published, features in double."""
import numpy as np
from case import Case

kRange, kSize = [-4.0, -2.0, -1.0, 4.0, 3.0, 3.0], [1.0, 0.5, 4.0] # a grid of 8 x 10
kFields = {"max_num_points_per_voxel": 3, "max_voxels": 40, "point_cloud_range": kRange, "voxel_size": kSize}


def features(points, cell, size, least):
    """A point's own values, its offset from the mean, and from the pillar's centre."""
    centre = (np.array([cell[1], cell[0], 0]) + 0.5) * size + least
    places = points[:, :3].astype(np.float64)
    return np.concatenate([points, places - places.mean(0), places - centre], 1)


def frame(points, fields):
    least, most = np.array(fields["point_cloud_range"], np.float32).reshape(2, 3)
    size = np.array(fields["voxel_size"], np.float32)
    columns, rows = np.round((most - least) / size)[:2].astype(int)
    pillars = {}
    for point in points:
        if not ((point[:3] >= least) & (point[:3] < most)).all():
            continue
        x, y = np.floor((point[:2] - least[:2]) / size[:2]).astype(int)
        if x < columns and y < rows:
            pillars.setdefault((y, x), []).append(point)
    mostPoints, mostVoxels = fields["max_num_points_per_voxel"], fields["max_voxels"]
    voxels = np.zeros((mostVoxels, mostPoints, fields["voxel_feature_num"]))
    coords = np.zeros((mostVoxels, 4))
    kept = sorted(pillars)[:mostVoxels]
    for i, cell in enumerate(kept):
        inside = np.array(pillars[cell][:mostPoints])
        wide = features(inside, cell, size.astype(np.float64), least.astype(np.float64))
        voxels[i, :len(inside)] = wide[:, :voxels.shape[2]]
        coords[i] = [0, 0, *cell]
    return voxels, coords, len(kept)


def case(name, points, counts, outputs=None, **options):
    fields = {**kFields, "voxel_feature_num": 10, **options.pop("fields", {})}
    if outputs is None:
        frames = [frame(points[n, :count], fields) for n, count in enumerate(counts)]
        outputs = [np.array([each[i] for each in frames]).astype(kind)
                   for i, kind in enumerate([np.float32, np.int32, np.int32])]
    return Case(name, "VoxelGeneratorPlugin", fields, {"points": points, "num_points": np.array(counts, np.int32)},
                dict(zip(["voxels", "voxel_coords", "num_pillar"], outputs)), **options)


def cases():
    random = np.random.default_rng(21)
    points = random.uniform([-5, -3, -1.5, 0], [5, 4, 3.5, 1], (3, 90, 4)).astype(np.float32)
    counts = [90, 70, 0]
    yield case("three frames, some points outside, the third frame empty", points, counts)
    yield case("open sizes", points, counts, open=(0,))
    five = np.concatenate([points, random.uniform(0, 1, (3, 90, 1)).astype(np.float32)], -1)
    for number in (10, 11):
        yield case(f"five numbers for each point, {number} features", five, counts, fields={"voxel_feature_num": number})
    yield case("as few features as numbers", points, counts, fields={"voxel_feature_num": 2})
    yield case("points of three numbers", points[..., :3].copy(), counts, fields={"voxel_feature_num": 9})
    yield case("many points in each pillar", points, counts, fields={"max_num_points_per_voxel": 70,
                                                                    "voxel_size": [4.0, 2.5, 4.0]})
    crowd = random.uniform([-4, -2, -1, 0], [4, 3, 3, 1], (1, 6000, 4)).astype(np.float32)
    yield case("many more points than fit", crowd, [5990], fields={"max_num_points_per_voxel": 40,
                                                                                 "voxel_size": [4.0, 2.5, 4.0]})
    yield case("a fine grid", points, counts, fields={"voxel_size": [0.01, 0.01, 4.0], "max_voxels": 75})
    yield case("more pillars than fit", points, counts, fields={"max_voxels": 11})
    yield case("one point", points[:1, :1].clip(-0.5, 0.5), [1])
    yield case("no points", points[:, :0].copy(), [0, 0, 0])
    # 5 rows and 2.5 columns of pillars: a half is rounded to even, and points right of 2 pillars are outside
    yield case("a range that is not a multiple", points, counts, fields={"voxel_size": [3.2, 1.0, 4.0]})
    edges = np.array([[-4, -2, -1, 0], [4, 0, 0, 0], [3.9999998, 2.9999998, 2.9999998, 1], [-3, -1.5, 0, 2],
                      [0, 3, 0, 0], [np.nan, 0, 0, 0], [0, 0, np.inf, 0]], np.float32)[None]
    yield case("edges of the range and of pillars, NaN and infinity", edges, [7])
    outputs = [case("", points, counts).outputs[key] for key in ("voxels", "voxel_coords", "num_pillar")]
    numbers = "max_num_points_per_voxel, max_voxels and voxel_feature_num have to be given, 1 or more"
    rangeText = "point_cloud_range has to be given, six numbers: the minimum x, y, z, then larger x, y, z"
    for text, fields in [(numbers, {"max_num_points_per_voxel": 0}), (numbers, {"max_voxels": 0}),
                         (numbers, {"voxel_feature_num": 0}),
                         ("voxel_size has to be given, three numbers above 0: x, y, z", {"voxel_size": [1.0, 0.0, 1.0]}),
                         (rangeText, {"point_cloud_range": kRange[:5]}), (rangeText, {"point_cloud_range": [0.0] * 6}),
                         ("point_cloud_range holds more pillars than fit in 32 bits; voxel_size is too small",
                          {"voxel_size": [1e-6, 1e-6, 1.0]}),
                         ("point_cloud_range holds more pillars than fit in 32 bits; voxel_size is too small",
                          {"voxel_size": [1e-20, 1e20, 1.0]})]:
        yield case(f"refused: {text} {fields}", points, counts, outputs, fields=fields,
                   refusal="VoxelGeneratorPlugin: " + text)
    yield case("refused: more features than there are", points, counts, outputs, fields={"voxel_feature_num": 11},
               refusal="VoxelGeneratorPlugin: points has 4 numbers for each point; expected 3 or more, x, y and z first, "
                       "and at least voxel_feature_num - 6, 5")
    for count in (91, -1):
        yield case(f"refused: {count} points", points, [90, count, 0], outputs,
                   runRefusal=f"VoxelGeneratorPlugin: num_points[1] is {count}; expected 0 to 90, the extent of points",
                   seenByCpuOnly=True)
