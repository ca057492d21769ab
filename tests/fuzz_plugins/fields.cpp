// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "fuzz_plugins/fields.h"

#include "some_fields.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace tenon::test {

using namespace nvinfer1;

namespace {

constexpr int32_t kMost = std::numeric_limits<int32_t>::max(), kLeast = std::numeric_limits<int32_t>::min();

int32_t integerNear(int32_t good, Random& random) {
    switch (random() % 4) {
    case 0: return good;
    case 1: return good + static_cast<int32_t>(random() % 5);
    case 2: return static_cast<int32_t>(random() % 4);
    default: return good * static_cast<int32_t>(1 + random() % 4);
    }
}

float realNear(float good, Random& random) {
    static float const kFactors[] = {1, 1, 0.25F, 3, -1, 0.9F};
    return good * oneOf(kFactors, random) + (oneIn(3, random) ? static_cast<float>(random() % 64) / 16 : 0);
}

size_t sizeOf(PluginFieldType type) {
    switch (type) {
    case PluginFieldType::kINT8:
    case PluginFieldType::kCHAR: return 1;
    case PluginFieldType::kFLOAT16:
    case PluginFieldType::kINT16: return 2;
    case PluginFieldType::kINT32:
    case PluginFieldType::kFLOAT32: return 4;
    case PluginFieldType::kDIMS: return sizeof(Dims);
    default: return 8;
    }
}

// Fields that someFields() lacks: for a plugin with several forms.
struct Form {
    char const* plugin;
    std::vector<std::pair<char const*, std::vector<int32_t>>> integers;
    std::vector<std::pair<char const*, std::vector<float>>> reals;
};
std::vector<Form> const kForms = {
    {"YoloLayer_TRT", {{"combinedInfo", {}}}, {{"netinfo", {2, 64, 32, 5}}}},
    {"YoloLayer_TRT", {{"combinedInfo", {}}}, {{"netinfo", {2, 64, 32, 5, 1}}, {"kernels", {4, 2, 1, 2, 3, 4, 5, 6}}}},
    {"YoloLayer_TRT", {{"combinedInfo", {2, 64, 32, 5, 1, 8, 16}}}, {}},
    {"YoloLayer_TRT", {{"combinedInfo", {2, 3, 0, 64, 32, 5, 0, 1, 8, 16}}}, {}},
    {"YoloLayer_TRT", {{"combinedInfo", {2, 3, 0, 64, 32, 5, 0, 0, 1, 8, 16}}}, {}},
    {"YoloLayer_TRT", {{"combinedInfo", {}}, {"max_stride", {8}}}, {{"anchors", {1, 2, 3, 4, 5, 6}}}},
    {"YoloLayer_TRT", {{"combinedInfo", {}}, {"yoloWidth", {3}}, {"numAnchors", {2}}}, {{"anchors", {1, 2, 3, 4}}}},
};

void changeTo(Form const& form, std::vector<PluginField>& fields) {
    auto const set = [&](auto const& values) {
        for (auto const& [name, numbers] : values)
            for (PluginField& field : fields)
                if (std::strcmp(field.name, name) == 0)
                    field = PluginField(field.name, numbers.data(), field.type, static_cast<int32_t>(numbers.size()));
    };
    set(form.integers);
    set(form.reals);
}

std::vector<PluginField> goodFields(PluginDefinition const& definition, Random& random) {
    std::vector<PluginField> fields = plugins::someFields(definition);
    std::vector<Form const*> forms{nullptr};
    for (Form const& form : kForms)
        if (std::strcmp(form.plugin, definition.name) == 0) forms.push_back(&form);
    if (Form const* const form = forms[random() % forms.size()]) changeTo(*form, fields);
    return fields;
}

} // namespace

int32_t wrongInteger(Random& random) {
    static int32_t const kValues[] = {0, -1, kMost, kLeast, kMost - 1, 1 << 30, 1 << 24, 1 << 16, -7, 3, 100, 65537};
    return oneOf(kValues, random);
}

float wrongReal(Random& random) {
    static float const kValues[] = {0,      -0.0F,  -1,       NAN,    INFINITY, -INFINITY, 3e38F, -3e38F,
                                    1e-40F, 1e-30F, 16777220, 4.3e9F, -4.3e9F,  1e6F,      0.5F,  65504};
    return oneOf(kValues, random);
}

GivenFields::GivenFields(PluginDefinition const& definition, Random& random) : random_(random) {
    bool const isGood = oneIn(3, random);
    for (PluginField const& good : goodFields(definition, random)) {
        if (isGood || !oneIn(5, random))
            addGood(good);
        else
            addWrong(good);
    }
    if (oneIn(30, random)) fields_.emplace_back(nullptr, keep("1234", 4), PluginFieldType::kINT32, 1);
    if (oneIn(10, random)) fields_.emplace_back("no such field", keep("1234", 4), PluginFieldType::kINT32, 1);
    std::shuffle(fields_.begin(), fields_.end(), random);
    collection_ = {static_cast<int32_t>(fields_.size()), fields_.data()};
    if (isGood) return;
    if (oneIn(50, random)) collection_.nbFields = oneIn(2, random) ? -1 : kLeast;
    if (oneIn(50, random)) collection_.fields = nullptr;
    isNull_ = oneIn(50, random);
}

void const* GivenFields::keep(void const* from, size_t bytes) {
    constexpr size_t kNumber = 8; // with data, a length of 0 is one element whose length was left out
    memory_.emplace_back(new unsigned char[bytes > 0 ? bytes : kNumber]());
    if (bytes > 0) std::memcpy(memory_.back().get(), from, bytes);
    return memory_.back().get();
}

void GivenFields::addNumbers(PluginField const& like, size_t count, bool isWrong) {
    size_t const given = static_cast<size_t>(like.length);
    if (like.type == PluginFieldType::kINT32) {
        std::vector<int32_t> numbers(count, 1);
        for (size_t i = 0; i < count; ++i) {
            int32_t const good = i < given ? static_cast<int32_t const*>(like.data)[i] : 1;
            numbers[i] = isWrong && oneIn(2, random_) ? wrongInteger(random_) : integerNear(good, random_);
        }
        fields_.emplace_back(like.name, keep(numbers.data(), count * 4), like.type, static_cast<int32_t>(count));
        return;
    }
    std::vector<float> numbers(count, 1);
    for (size_t i = 0; i < count; ++i) {
        float const good = i < given ? static_cast<float const*>(like.data)[i] : 1;
        numbers[i] = isWrong && oneIn(2, random_) ? wrongReal(random_) : realNear(good, random_);
    }
    fields_.emplace_back(like.name, keep(numbers.data(), count * 4), like.type, static_cast<int32_t>(count));
}

void GivenFields::addGood(PluginField const& good) {
    auto const length = static_cast<size_t>(good.length);
    if (oneIn(2, random_)) return addNumbers(good, length, false);
    fields_.emplace_back(good.name, keep(good.data, length * 4), good.type, good.length);
}

void GivenFields::addOfType(PluginField const& like, PluginFieldType type) {
    size_t const length = random_() % 4;
    std::vector<unsigned char> bytes(length * sizeOf(type));
    for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(oneIn(2, random_) ? 0 : random_());
    fields_.emplace_back(like.name, keep(bytes.data(), bytes.size()), type, static_cast<int32_t>(length));
}

void GivenFields::addWrong(PluginField const& good) {
    static int32_t const kLengths[] = {-1, kLeast, kMost, 1, 0, 1000};
    static size_t const kCounts[] = {0, 2, 3, 4, 6, 8, 24, 1000};
    switch (random_() % 8) {
    case 0: return; // missing
    case 1: return addNumbers(good, oneOf(kCounts, random_), oneIn(2, random_));
    case 2: return addGood(good), addNumbers(good, 1, true); // twice
    case 3: return addOfType(good, static_cast<PluginFieldType>(random_() % 14));
    case 4: return addOfType(good, oneIn(2, random_) ? PluginFieldType(99) : PluginFieldType(-1));
    case 5: fields_.emplace_back(good.name, nullptr, good.type, oneOf(kLengths, random_)); return;
    default: return addNumbers(good, static_cast<size_t>(good.length), true);
    }
}

} // namespace tenon::test
