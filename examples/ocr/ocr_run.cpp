// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// Reads the text in an image with the two engines that ocr_build saved. Uses neither ONNX nor the networks: only their
// input, the plugins' outputs, and the dictionary.
#include "dictionary.h"
#include "engine.h"
#include "image.h"
#include "logger.h"
#include "preprocess.h"
#include "text_lines.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <iostream>
#include <stdexcept>

namespace {

using namespace ocr;
namespace fs = std::filesystem;

constexpr float kLeastConfidence = 0.5F; // a box with a lower score holds no text
constexpr float kUpright = 1.5F;         // a crop at least this much higher than wide may hold text that runs downwards
constexpr Color kBoxColor = {220, 30, 30};

// Prints the time of each stage to stderr.
class Stopwatch {
public:
    void lap(char const* stage) {
        auto const now = Clock::now();
        std::fprintf(stderr, "%-12s %8.1f ms\n", stage, std::chrono::duration<double, std::milli>(now - last_).count());
        last_ = now;
    }

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point last_ = Clock::now();
};

void loadPlugins(fs::path const& library) {
    if (getPluginRegistry()->loadLibrary(library.c_str()) == nullptr)
        throw std::runtime_error(library.string() + ": cannot be loaded as a plugin library");
}

// The boxes of text, in pixels of the image.
std::vector<Quad> findText(Engine& detector, Image const& picture) {
    Tensor const input = detectionInput(picture);
    detector.run(input);
    float const scaleX = float(picture.width) / float(input.shape[3]);
    float const scaleY = float(picture.height) / float(input.shape[2]);
    std::span<float const> const corners = detector.values<float>("boxes");
    std::vector<Quad> boxes(corners.size() / 8);
    for (size_t i = 0; i < corners.size(); i += 2)
        boxes[i / 8][i / 2 % 4] = {corners[i] * scaleX, corners[i + 1] * scaleY};
    return boxes;
}

// An image of one text, and the box it was cut from. A high one appears twice, upright and turned.
struct Cutout {
    Image image;
    size_t box;
};

std::vector<Cutout> cutOut(Image const& picture, std::vector<Quad> const& boxes) {
    std::vector<Cutout> cutouts;
    for (size_t i = 0; i < boxes.size(); ++i) {
        cutouts.push_back({cropped(picture, boxes[i]), i});
        Image const& upright = cutouts.back().image;
        if (float(upright.height) >= kUpright * float(upright.width)) cutouts.push_back({turnedLeft(upright), i});
    }
    return cutouts;
}

// Reads one batch; of two readings of a box, keeps the one with the higher confidence.
void readBatch(Engine& recognizer, std::span<Cutout const* const> batch, Dictionary const& dictionary,
               std::vector<TextPiece>& pieces) {
    std::vector<Image const*> images;
    for (Cutout const* cutout : batch) images.push_back(&cutout->image);
    recognizer.run(recognitionInput(images));
    auto const indices = recognizer.values<int32_t>("indices");
    auto const lengths = recognizer.values<int32_t>("lengths");
    auto const confidence = recognizer.values<float>("confidence");
    size_t const steps = indices.size() / batch.size();
    for (size_t i = 0; i < batch.size(); ++i) {
        TextPiece& piece = pieces[batch[i]->box];
        if (confidence[i] <= piece.confidence) continue;
        piece.confidence = confidence[i];
        piece.text = dictionary.spell(indices.subspan(i * steps, size_t(lengths[i])));
    }
}

// Texts of similar length share a batch: it is as wide as its longest text.
std::vector<TextPiece> readTexts(Engine& recognizer, std::vector<Cutout> const& cutouts, std::vector<Quad> const& boxes,
                                 Dictionary const& dictionary) {
    std::vector<Cutout const*> byWidth;
    for (Cutout const& cutout : cutouts) byWidth.push_back(&cutout);
    std::stable_sort(byWidth.begin(), byWidth.end(),
                     [](Cutout const* a, Cutout const* b) { return textWidth(a->image) < textWidth(b->image); });
    std::vector<TextPiece> pieces;
    for (Quad const& box : boxes) pieces.push_back({box, "", 0});
    for (size_t first = 0; first < byWidth.size(); first += kMostTexts) {
        size_t const count = std::min<size_t>(kMostTexts, byWidth.size() - first);
        readBatch(recognizer, std::span(byWidth).subspan(first, count), dictionary, pieces);
    }
    std::erase_if(pieces, [](TextPiece const& piece) { return piece.confidence < kLeastConfidence; });
    return pieces;
}

void drawBoxes(fs::path const& pictureFile, Image picture, std::vector<Quad> const& boxes) {
    for (Quad const& box : boxes) drawQuad(picture, box, kBoxColor);
    fs::path const file = fs::path(pictureFile).replace_extension(".boxes.png");
    writePng(file, picture);
    std::cerr << boxes.size() << " boxes drawn into " << file.string() << '\n';
}

void run(fs::path const& engines, fs::path const& plugins, fs::path const& pictureFile) {
    Stopwatch stopwatch;
    Image const picture = readPng(pictureFile);
    stopwatch.lap("read image");
    Logger logger("ocr_run");
    std::unique_ptr<nvinfer1::IRuntime> const runtime(nvinfer1::createInferRuntime(logger));
    loadPlugins(plugins); // after the runtime, whose logger receives errors of a library
    Engine detector(*runtime, engines / "det.engine"), recognizer(*runtime, engines / "rec.engine");
    Dictionary const dictionary(engines / "dictionary.txt");
    stopwatch.lap("load engines");
    std::vector<Quad> const boxes = findText(detector, picture);
    stopwatch.lap("detect");
    std::vector<TextPiece> const pieces = readTexts(recognizer, cutOut(picture, boxes), boxes, dictionary);
    stopwatch.lap("recognize");
    for (TextLine const& line : joinIntoLines(pieces))
        std::printf("%s\t%.3f\n", line.text.c_str(), double(line.confidence));
    drawBoxes(pictureFile, picture, boxes);
    stopwatch.lap("draw");
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::cerr << "usage: ocr_run ENGINE_FOLDER PLUGIN_LIBRARY IMAGE.png\n";
        return 2;
    }
    try {
        run(argv[1], argv[2], argv[3]);
    } catch (std::exception const& error) {
        std::cerr << "ocr_run: " << error.what() << '\n';
        return 1;
    }
}
