# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Plugins that move elements, and plugins along one axis."""
import numpy as np
import torch
from torch.nn import functional

from plugin_cases.case import Case, normal


def pictures():
    yield Case("8 of 3x512x512", "BatchTilePlugin_TRT", {}, {"batch": normal(8, 1), "picture": normal(1, 3, 512, 512)},
               lambda batch, picture: picture.expand(len(batch), -1, -1, -1).contiguous())
    places = [np.linspace(-1, 1, 128, dtype=np.float32).reshape(shape) for shape in ((1, 1, 128, 1), (1, 1, 1, 128))]
    yield Case("1x64x128x128, composed", "CoordConvAC", {}, {"x": normal(1, 64, 128, 128)},
               lambda x, rows, columns: torch.cat([x, rows.expand(1, 1, 128, 128), columns.expand(1, 1, 128, 128)], 1),
               parameters=places)
    yield Case("1x64x26x26, stride 2, composed", "Reorg_TRT", {"stride": 2}, {"x": normal(1, 64, 26, 26)},
               lambda x: x.reshape(1, 16, 26, 2, 26, 2).permute(0, 3, 5, 1, 2, 4).reshape(1, 256, 13, 13))
    yield Case("1x256x52x52, scale 2", "ResizeNearest_TRT", {"scale": 2.0}, {"x": normal(1, 256, 52, 52)},
               lambda x: functional.interpolate(x, scale_factor=2))


def parts():
    maps = {f"x{size}": normal(1, size, size, 324) for size in (38, 19, 10, 5, 3, 1)}
    yield Case("six maps, 38x38x324 to 1x1x324", "FlattenConcat_TRT", {"axis": 1, "ignoreBatch": 0}, maps,
               lambda *maps: torch.cat([each.flatten(1) for each in maps], 1))
    yield Case("1x1000x6", "SpecialSlice_TRT", {}, {"x": normal(1, 1000, 6)}, lambda x: x[..., :4].contiguous())
    yield Case("8x256x28x28 in two", "Split", {"axis": 1, "output_lengths": [128, 128]}, {"x": normal(8, 256, 28, 28)},
               lambda x: tuple(part.contiguous() for part in x.split(128, 1)), outputs=2, domain="plugins")
    yield Case("2x4096x320 to 64x64, composed", "SeqLen2Spatial", {},
               {"sequence": normal(2, 4096, 320), "bias": normal(320), "residual": normal(2, 4096, 320, seed=1),
                "map": np.zeros((2, 320, 64, 64), np.float32)},
               lambda x, bias, residual, form: (x + bias + residual).transpose(1, 2).reshape(form.shape).contiguous(),
               floats=("map",))


def scattered():
    """Pillars and cells of a bird's eye view, messages of a graph."""
    random = np.random.default_rng(2)
    height, width, pillars = 496, 432, 10000
    coords = np.zeros((1, pillars, 4), np.int32)
    coords[0, :, 2], coords[0, :, 3] = np.divmod(random.permutation(height * width)[:pillars], width)

    def canvas(voxels, coords, _):
        places = coords[0, :, 2].long() * width + coords[0, :, 3]
        return voxels.new_zeros(64, height * width).index_copy_(1, places, voxels[0].t())
    yield Case("10000 pillars of 64, 496x432, composed", "PillarScatterPlugin", {"dense_shape": [height, width]},
               {"voxels": normal(1, pillars, 64), "coords": coords, "count": np.int32([pillars])}, canvas)
    nodes, messages = 10000, 50000
    edges = np.repeat(random.integers(0, nodes, (messages, 1)), 64, 1)
    yield Case("50000x64 to 10000x64, sums", "ScatterElements", {"reduction": "add", "axis": 0, "plugin_version": "1"},
               {"data": normal(nodes, 64), "indices": edges, "updates": normal(messages, 64)},
               lambda data, indices, updates: data.scatter_add(0, indices, updates), domain="plugins")
    cells = random.permutation(40000)[:10000].astype(np.int32).reshape(-1, 1)
    yield Case("10000 rows of 40000x256", "ScatterND", {},
               {"data": normal(40000, 256), "indices": cells, "updates": normal(10000, 256)},
               lambda data, indices, updates: data.index_copy(0, indices[:, 0].long(), updates), domain="plugins")


def ofAnAxis():
    yield Case("512x2048", "CumSum", {"axis": -1, "bInclusive": 1}, {"x": normal(512, 2048)}, lambda x: x.cumsum(-1),
               domain="plugins")


def spectra():
    """Of audio: one second at 16 kHz."""
    yield Case("8x16000", "FFTPlugin", {"inverse": 0, "onesided": 1, "ndims": 1}, {"x": normal(8, 16000)},
               lambda x: torch.view_as_real(torch.fft.rfft(x.float())).to(x.dtype), domain="plugins")  # cuFFT does not support float16 for this size


def topK(device):
    """The query selection of a detection transformer; only the peer's order of ties is known for indices."""
    yield Case("900 of 22223", "TopkLastDim", {"type_id": device.typeId, "k": 900, "is_largest": 1},
               {"x": normal(1, 22223)}, lambda x: x.topk(900).values, outputs=2)
    yield Case("900 of 22223", "TopKDynamic", {"tensorrt_plugin_shape_input_indices": [1]}, {"x": normal(1, 22223)},
               lambda x, k: x.topk(900).values, outputs=2, constants={"k": np.int64([900])})


def cases(device):
    yield from pictures()
    yield from parts()
    yield from scattered()
    yield from ofAnAxis()
    yield from topK(device)
    yield from spectra()
