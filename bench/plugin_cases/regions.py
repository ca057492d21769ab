# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Plugins that sample feature maps: of regions, by offsets, by a grid."""
from dataclasses import replace

import numpy as np
import torch
import torchvision
from torch.nn import functional

from plugin_cases.case import Case, corners, normal, uniform


def aligned(device):
    count = device.pick(200, 1000)
    yield Case(f"{count} of 256x50x84, 7x7", "ROIAlign_TRT",
               {"output_height": 7, "output_width": 7, "sampling_ratio": 2, "spatial_scale": 0.0625, "plugin_version": "1"},
               {"x": normal(1, 256, 50, 84), "rois": corners(count, 800, 1344), "batch": np.zeros(count, np.int32)},
               lambda x, rois, batch: torchvision.ops.roi_align(x, torch.cat([batch[:, None].to(rois.dtype), rois], 1), 7,
                                                                0.0625, 2, True))
    shares = (corners(count, 800, 1344) / np.float32([1344, 800, 1344, 800]))[:, [1, 0, 3, 2]]

    def cropped(x, rois):
        low, high = rois[0, :, None, :2], rois[0, :, None, 2:]
        places = 2 * (low + (high - low) * torch.linspace(0, 1, 7, dtype=x.dtype, device=x.device)[:, None]) - 1
        y, x7 = places[..., 0, None].expand(-1, 7, 7), places[:, None, :, 1].expand(-1, 7, 7)
        grid = torch.stack([x7, y], -1).reshape(1, count * 7, 7, 2)
        return functional.grid_sample(x, grid, align_corners=True).view(256, count, 7, 7).transpose(0, 1).contiguous()
    yield Case(f"{count} of 256x50x84, 7x7, composed", "CropAndResizeDynamic",
               {"crop_height": 7, "crop_width": 7, "plugin_version": "1"},
               {"x": normal(1, 256, 50, 84), "rois": shares[None]}, cropped)
    yield rotated(count)


def rotated(count):
    """At most 45 degrees, so that regions end inside the image."""
    boxes, angles = corners(count, 800, 1344, least=64, most=200), uniform(count, 1, seed=2) * np.float32(1.5) - 0.75
    middle, size = (boxes[:, :2] + boxes[:, 2:]) / 2, boxes[:, 2:] - boxes[:, :2]
    rois = np.concatenate([np.zeros((count, 1)), middle * 0.5 + [336, 200], size, angles], 1).astype(np.float32)

    def peer(x, rois, extent):
        middle, size, angle = rois[:, 1:3] * 0.0625 - 0.5, rois[:, 3:5] * 0.0625, rois[:, 5, None, None]
        steps = (torch.arange(14, dtype=x.dtype, device=x.device) + 0.5) / 14 - 0.5
        over, down = steps * size[:, :1, None], steps[:, None] * size[:, 1:, None]
        cosine, sine = angle.cos(), angle.sin()
        places = torch.stack([middle[:, :1, None] + over * cosine + down * sine,
                              middle[:, 1:, None] + down * cosine - over * sine], -1)
        grid = ((2 * places + 1) / extent - 1).reshape(1, count * 14, 14, 2)
        sampled = functional.grid_sample(x, grid, align_corners=False).view(256, count, 14, 14).transpose(0, 1)
        return functional.avg_pool2d(sampled, 2)
    return Case(f"{count} of 256x50x84, 7x7, composed", "MMCVRoIAlignRotated",
                {"output_height": 7, "output_width": 7, "sampling_ratio": 2, "spatial_scale": 0.0625},
                {"x": normal(1, 256, 50, 84), "rois": rois}, peer, parameters=[np.float32([84, 50])])


def byLevel(maps, rois, levels, scales, **options):
    """As in torchvision's MultiScaleRoIAlign."""
    pooled = rois.new_zeros(len(rois), maps[0].shape[1], 7, 7)
    for level, (each, scale) in enumerate(zip(maps, scales)):
        chosen = torch.where(levels == level)[0]
        pooled[chosen] = torchvision.ops.roi_align(each, [rois[chosen]], 7, scale, **options)
    return pooled


def pyramids(device):
    """Those of Mask R-CNN, of TAO and of Matterport."""
    count = device.pick(200, 1000)
    maps = {f"P{i + 2}": normal(1, 256, 832 >> (i + 2), 1344 >> (i + 2)) for i in range(5)}

    def ofTao(rois, *maps):
        boxes = rois[0][:, [1, 0, 3, 2]]
        sides = (boxes[:, 2:] - boxes[:, :2]).float()
        levels = (sides.prod(1).sqrt() / 112).log2().ceil().clamp(0, 4)
        return byLevel(maps, boxes, levels, [1 / (4 << i) for i in range(5)], sampling_ratio=1, aligned=False)
    yield Case(f"{count} of 5 maps of 256 channels, 832x1344, composed", "MultilevelCropAndResize_TRT", {"pooled_size": 7},
               {"rois": corners(count, 832, 1344, most=600)[None, :, [1, 0, 3, 2]], **maps}, ofTao)
    maps = {f"P{i + 2}": normal(1, 256, 1024 >> (i + 2), 1024 >> (i + 2)) for i in range(4)}

    def ofMatterport(rois, *maps):
        sides = (rois[0, :, 2:] - rois[0, :, :2]).float()
        levels = (1 + (sides.prod(1).sqrt() / 224).log2().ceil()).clamp(0, 3)
        return byLevel(maps, rois[0], levels, [1 / (4 << i) for i in range(4)], sampling_ratio=0, aligned=True)
    yield Case(f"{count} of 4 maps of 256 channels, 1024x1024, composed", "PyramidROIAlign_TRT", {},
               {"rois": corners(count, 1024, 1024, most=600)[None], **maps}, ofMatterport)


def sampled(device):
    channels, height, width = device.pick((64, 50, 84), (256, 100, 168))
    deformed = Case(f"{channels} to {channels} channels, {height}x{width}", "DCNv2",
               {"stride": [1, 1], "padding": [1, 1], "dilation": [1, 1], "deformable_group": 1},
               {"x": normal(1, channels, height, width), "offset": normal(1, 18, height, width, seed=5),
                "mask": uniform(1, 9, height, width, seed=4)},
               lambda x, offset, mask, weight, bias: torchvision.ops.deform_conv2d(x, offset, weight, bias, padding=1, mask=mask),
               constants={"weight": normal(channels, channels, 3, 3) * np.float32(0.05), "bias": np.zeros(channels, np.float32)},
               products=height * width * channels * channels * 9)
    yield deformed
    if device.isGpu:  # between convolutions its features have this format
        yield replace(deformed, name=deformed.name + ", x and y in kHWC8", channelsLast=("x", "y0"))
    yield Case("1x64x100x168", "grid_sampler", {"interpolation_mode": 0, "padding_mode": 0, "align_corners": 0},
               {"x": normal(1, 64, 100, 168), "grid": uniform(1, 100, 168, 2, seed=4) * 2 - 1},
               lambda x, grid: functional.grid_sample(x, grid, align_corners=False))


def cases(device):
    yield from aligned(device)
    yield from pyramids(device)
    yield from sampled(device)
