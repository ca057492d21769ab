// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "image.h"

#include <algorithm>
#include <cmath>

namespace ocr {
namespace {

uint8_t toByte(float value) { return uint8_t(std::clamp(value + 0.5F, 0.0F, 255.0F)); }

void drawDot(Image& image, int x, int y, Color color) {
    for (int dy = 0; dy < 2; ++dy)
        for (int dx = 0; dx < 2; ++dx)
            if (x + dx >= 0 && x + dx < image.width && y + dy >= 0 && y + dy < image.height)
                std::copy(color.begin(), color.end(), image.at(x + dx, y + dy));
}

// The old pixels that make up one new pixel, with their weights, which add up to 1.
struct Mix {
    int first;
    std::vector<float> weights;
};

// A triangle around the centre of the new pixel, wide enough to cover every old pixel.
std::vector<Mix> mixesFor(int oldSize, int newSize) {
    float const scale = float(oldSize) / float(newSize);
    float const reach = std::max(scale, 1.0F);
    std::vector<Mix> mixes(newSize);
    for (int i = 0; i < newSize; ++i) {
        float const center = (float(i) + 0.5F) * scale - 0.5F;
        int const first = int(std::ceil(center - reach)), last = int(std::floor(center + reach));
        int const from = std::clamp(first, 0, oldSize - 1), to = std::clamp(last, 0, oldSize - 1);
        mixes[i] = {from, std::vector<float>(to - from + 1)};
        float sum = 0;
        for (int old = first; old <= last; ++old) {
            float const weight = std::max(0.0F, 1 - std::abs(float(old) - center) / reach);
            mixes[i].weights[std::clamp(old, 0, oldSize - 1) - from] += weight;
            sum += weight;
        }
        for (float& weight : mixes[i].weights) weight /= sum;
    }
    return mixes;
}

// One row of an image at a new width: [width,3] → [columns,3].
void mixRow(Image const& image, int y, std::vector<Mix> const& columns, float* row) {
    for (Mix const& mix : columns) {
        uint8_t const* pixel = image.at(mix.first, y);
        for (float weight : mix.weights)
            for (int c = 0; c < 3; ++c) row[c] += weight * float(*pixel++);
        row += 3;
    }
}

// The weights of the pixels at -1, 0, 1 and 2 for a position at 0 <= t < 1: cubic convolution with a = -0.75, as in
// OpenCV. Sharper than linear, which makes spaces easier to see for the recognizer.
std::array<float, 4> cubicWeights(float t) {
    auto const near = [](float d) { return (1.25F * d - 2.25F) * d * d + 1; };
    auto const far = [](float d) { return ((-0.75F * d + 3.75F) * d - 6) * d + 3; };
    return {far(1 + t), near(t), near(1 - t), far(2 - t)};
}

// The color at a position between pixels; the edge pixels continue beyond the edge.
void sample(Image const& image, Point p, uint8_t* color) {
    int const left = int(std::floor(p.x)), top = int(std::floor(p.y));
    auto const across = cubicWeights(p.x - float(left)), down = cubicWeights(p.y - float(top));
    std::array<float, 3> sum{};
    for (int j = 0; j < 4; ++j)
        for (int i = 0; i < 4; ++i) {
            uint8_t const* const pixel =
                image.at(std::clamp(left - 1 + i, 0, image.width - 1), std::clamp(top - 1 + j, 0, image.height - 1));
            for (int c = 0; c < 3; ++c) sum[c] += down[j] * across[i] * float(pixel[c]);
        }
    std::transform(sum.begin(), sum.end(), color, toByte);
}

} // namespace

void drawQuad(Image& image, Quad const& quad, Color color) {
    for (size_t i = 0; i < quad.size(); ++i) {
        Point const from = quad[i], to = quad[(i + 1) % quad.size()];
        int const steps = int(std::ceil(distance(from, to))) + 1;
        for (int step = 0; step <= steps; ++step) {
            float const t = float(step) / float(steps);
            drawDot(image, int(std::lround(from.x + (to.x - from.x) * t)),
                    int(std::lround(from.y + (to.y - from.y) * t)), color);
        }
    }
}

Image resized(Image const& image, int width, int height) {
    std::vector<Mix> const columns = mixesFor(image.width, width), rows = mixesFor(image.height, height);
    size_t const rowSize = size_t(width) * 3;
    std::vector<float> narrow(rowSize * image.height);
    for (int y = 0; y < image.height; ++y) mixRow(image, y, columns, &narrow[y * rowSize]);

    Image result(width, height);
    std::vector<float> mixed(rowSize);
    for (int y = 0; y < height; ++y) {
        std::fill(mixed.begin(), mixed.end(), 0.0F);
        float const* row = &narrow[rows[y].first * rowSize];
        for (float weight : rows[y].weights)
            for (size_t i = 0; i < rowSize; ++i) mixed[i] += weight * *row++;
        std::transform(mixed.begin(), mixed.end(), result.at(0, y), toByte);
    }
    return result;
}

Image cropped(Image const& image, Quad const& quad) {
    Point const origin = quad[0];
    Point const right = {quad[1].x - origin.x, quad[1].y - origin.y};
    Point const down = {quad[3].x - origin.x, quad[3].y - origin.y};
    Image crop(std::max(1, int(std::lround(distance(quad[0], quad[1])))),
               std::max(1, int(std::lround(distance(quad[0], quad[3])))));
    for (int y = 0; y < crop.height; ++y)
        for (int x = 0; x < crop.width; ++x) {
            float const u = float(x) / float(crop.width), v = float(y) / float(crop.height);
            sample(image, {origin.x + u * right.x + v * down.x, origin.y + u * right.y + v * down.y}, crop.at(x, y));
        }
    return crop;
}

Image turnedLeft(Image const& image) {
    Image turned(image.height, image.width);
    for (int y = 0; y < turned.height; ++y)
        for (int x = 0; x < turned.width; ++x) {
            uint8_t const* const pixel = image.at(image.width - 1 - y, x);
            std::copy(pixel, pixel + 3, turned.at(x, y));
        }
    return turned;
}

} // namespace ocr
