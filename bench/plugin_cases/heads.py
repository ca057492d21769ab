# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""First and last layers of YOLO networks and point cloud networks."""
import math

import numpy as np
import torch

from plugin_cases.case import Case, normal, sameBoxes, uniform


def region(device):
    batch = device.pick(1, 8)

    def peer(x):
        x = x.view(batch, 5, 85, 13, 13)
        return torch.cat([x[:, :, :2].sigmoid(), x[:, :, 2:4], x[:, :, 4:5].sigmoid(), x[:, :, 5:].softmax(2)], 2)
    yield Case(f"{batch}x425x13x13, composed", "Region_TRT", {"num": 5, "coords": 4, "classes": 80},
               {"x": normal(batch, 425, 13, 13)}, peer)


def yolo():
    """YOLOv5's for an image of 640x640; one box in twenty is above the threshold."""
    classes, picture, most = 80, 640, 2000
    maps, strides = {}, [8, 16, 32]
    sizes = np.float32([[10, 13, 16, 30, 33, 23], [30, 61, 62, 45, 59, 119], [116, 90, 156, 198, 373, 326]])
    for stride in strides:
        maps[f"map{stride}"] = normal(1, 255, picture // stride, picture // stride, seed=stride)
        maps[f"map{stride}"].reshape(3, 85, -1)[:, 4] -= 3.8
    kernels = [number for stride, of in zip(strides, sizes) for number in [picture // stride, picture // stride, *of]]

    def level(x, sizes, stride):
        numbers = x.view(3, 85, x.shape[2], x.shape[3]).permute(2, 3, 0, 1).sigmoid()
        row, column, anchor = torch.where(numbers[..., 4] >= 0.1)
        t = numbers[row, column, anchor]
        best, which = t[:, 5:].max(1)
        middle = (torch.stack([column, row], 1) - 0.5 + 2 * t[:, :2]) * stride
        extent = (2 * t[:, 2:4]) ** 2 * sizes.view(3, 2)[anchor]
        return torch.cat([middle, extent, (t[:, 4] * best)[:, None], which[:, None]], 1)

    def peer(*tensors):
        return torch.cat([level(*each) for each in zip(tensors[:3], tensors[3:], strides)])[:most]
    yield Case("640x640, 80 classes, composed", "YoloLayer_TRT",
               {"netinfo": [float(n) for n in (classes, picture, picture, most)], "kernels": [float(k) for k in kernels]}, maps,
               peer, isReal=False, parameters=[*sizes],
               alike=sameBoxes(lambda own: own[0].reshape(-1)[1:].reshape(most, -1)[:int(own[0].reshape(-1)[0]), :6]))


def cars():
    """PointPillars for KITTI."""
    height, width, classes, anchors = 248, 216, 3, 6
    area = np.float32([0, -39.68, -3, 69.12, 39.68, 1])
    shapes = np.float32([[3.9, 1.6, 1.56], [0.8, 0.6, 1.73], [1.76, 0.6, 1.73]]).repeat(2, 0)
    turns, bottoms = np.float32([0, 1.57] * 3), np.float32([-1.78, -0.6, -0.6])
    scores = normal(1, height, width, anchors * classes) - np.float32(5)

    def peer(scores, residuals, directions, shapes, turns, bottoms):
        best, which = scores.view(height, width, anchors, classes).sigmoid().max(3)
        row, column, anchor = torch.where(best >= 0.1)
        r, of = residuals.view(height, width, anchors, 7)[row, column, anchor], shapes[anchor]
        across = of[:, :2].norm(dim=1)
        x = column * (69.12 / (width - 1)) + r[:, 0] * across
        y = row * (79.36 / (height - 1)) - 39.68 + r[:, 1] * across
        z = r[:, 2] * of[:, 2] + of[:, 2] / 2 + bottoms[anchor // 2]
        angle = r[:, 6] + turns[anchor] - 0.78539
        angle = angle - (angle / math.pi).floor() * math.pi
        direction = directions.view(height, width, anchors, 2)[row, column, anchor].argmax(1)
        angle = angle + 0.78539 + math.pi * direction
        numbers = torch.stack([x, y, z, angle, which[row, column, anchor], best[row, column, anchor]], 1)
        return torch.cat([numbers[:, :3], r[:, 3:6].exp() * of, numbers[:, 3:]], 1)
    yield Case("248x216, 6 anchors, composed", "DecodeBbox3DPlugin",
               {"point_cloud_range": area, "anchors": np.concatenate([shapes, turns[:, None]], 1).reshape(-1),
                "anchor_bottom_height": bottoms, "num_dir_bins": 2, "score_thresh": 0.1},
               {"scores": scores, "boxes": normal(1, height, width, 42) * np.float32(0.2), "directions": normal(1, height, width, 12)},
               peer, outputs=2, isReal=False, parameters=[shapes, turns, bottoms],
               alike=sameBoxes(lambda own: own[0][0, :int(own[1][0])]))


def pillars():
    """Of a scan of 20000 points, dense at the sensor."""
    count, most, mostPoints, columns = 20000, 10000, 32, 432
    area, size = np.float32([0, -39.68, -3, 69.12, 39.68, 1]), np.float32([0.16, 0.16, 4])
    points = uniform(1, count, 4, seed=6)
    points[..., :2] = points[..., :2] ** 2 * [69, 39]
    points[..., 2] = points[..., 2] * 4 - 3

    def peer(points, _, least, size):
        points = points[0]
        inside = ((points[:, :3] >= least) & (points[:, :3] < least + 432 * size)).all(1)
        points = points[inside]
        cell = ((points[:, :2] - least[:2]) / size[:2]).floor().long()
        cells, of, lengths = torch.unique(cell[:, 1] * columns + cell[:, 0], return_inverse=True, return_counts=True)
        order = of.argsort(stable=True)
        place = torch.empty_like(of)
        place[order] = torch.arange(len(of), device=of.device) - (lengths.cumsum(0) - lengths)[of[order]]
        kept = torch.where((place < mostPoints) & (of < most))[0]
        points, of, place, lengths = points[kept], of[kept], place[kept], lengths[:most].clamp(max=mostPoints)
        means = points.new_zeros(len(lengths), 3).index_add_(0, of, points[:, :3]) / lengths[:, None]
        index = torch.stack([cells[of] % columns, cells[of] // columns, torch.zeros_like(of)], 1)
        centres = (index + 0.5) * size + least
        voxels = points.new_zeros(1, most, mostPoints, 10)
        voxels[0, of, place] = torch.cat([points, points[:, :3] - means[of], points[:, :3] - centres], 1)
        coords = torch.zeros(1, most, 4, dtype=torch.int32, device=points.device)
        coords[0, :len(lengths), 2], coords[0, :len(lengths), 3] = cells[:most] // columns, cells[:most] % columns
        return voxels, coords
    yield Case("20000 points, 432x496, composed", "VoxelGeneratorPlugin",
               {"max_num_points_per_voxel": mostPoints, "max_voxels": most, "point_cloud_range": area, "voxel_size": size,
                "voxel_feature_num": 10}, {"points": points, "count": np.int32([count])}, peer, outputs=3, isReal=False,
               parameters=[area[:3], size])


def cases(device):
    yield from region(device)
    yield from yolo()
    yield from cars()
    yield from pillars()
