// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "fields.h"

#include "plugin.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace tenon::plugins {
namespace {

using nvinfer1::PluginField;
using nvinfer1::PluginFieldType;

constexpr PluginFieldType typeOf(int32_t) { return PluginFieldType::kINT32; }
constexpr PluginFieldType typeOf(float) { return PluginFieldType::kFLOAT32; }

// A visitor whose `each(name, value)` takes scalars and vectors alike.
template <typename Derived> class Visitor : public FieldVisitor {
public:
    void operator()(char const* name, int32_t& value) final { self().each(name, value); }
    void operator()(char const* name, float& value) final { self().each(name, value); }
    void operator()(char const* name, std::vector<int32_t>& values) final { self().each(name, values); }
    void operator()(char const* name, std::vector<float>& values) final { self().each(name, values); }

private:
    Derived& self() { return static_cast<Derived&>(*this); }
};

class Describer final : public Visitor<Describer> {
public:
    template <typename T> void each(char const* name, T& value) { fields.emplace_back(name, &value, typeOf(value), 1); }
    template <typename T> void each(char const* name, std::vector<T>& values) {
        fields.emplace_back(name, values.data(), typeOf(T()), int32_t(values.size()));
    }

    std::vector<PluginField> fields;
};

[[noreturn]] void refuse(PluginField const& field, char const* expected) {
    throw std::invalid_argument("field '" + std::string(field.name) + "' has to be " + expected + "; found type " +
                                std::to_string(int(field.type)) + ", length " + std::to_string(field.length));
}

template <typename T> T elementAt(void const* data, int32_t index) {
    T element;
    std::memcpy(&element, static_cast<std::byte const*>(data) + size_t(index) * sizeof(T), sizeof(T));
    return element;
}

int32_t narrow(PluginField const& field, int64_t wide) {
    if (wide < std::numeric_limits<int32_t>::min() || wide > std::numeric_limits<int32_t>::max())
        throw std::invalid_argument("field '" + std::string(field.name) +
                                    "' does not fit in 32 bits: " + std::to_string(wide));
    return int32_t(wide);
}

void readElement(PluginField const& field, int32_t index, int32_t& value) {
    if (field.type == PluginFieldType::kINT32)
        value = elementAt<int32_t>(field.data, index);
    else if (field.type == PluginFieldType::kINT8)
        value = elementAt<int8_t>(field.data, index);
    else if (field.type == PluginFieldType::kINT16)
        value = elementAt<int16_t>(field.data, index);
    else if (field.type == PluginFieldType::kINT64)
        value = narrow(field, elementAt<int64_t>(field.data, index));
    else
        refuse(field, "of type INT32");
}

void readElement(PluginField const& field, int32_t index, float& value) {
    if (field.type == PluginFieldType::kFLOAT32)
        value = elementAt<float>(field.data, index);
    else if (field.type == PluginFieldType::kFLOAT64)
        value = float(elementAt<double>(field.data, index));
    else
        refuse(field, "of type FLOAT32");
}

class Reader final : public Visitor<Reader> {
public:
    explicit Reader(PluginField const& field) : field_(field) {}

    // A field whose author left out the length has length 0.
    template <typename T> void each(char const* name, T& value) {
        if (std::strcmp(name, field_.name) != 0) return;
        known = true;
        if (field_.data == nullptr || field_.length < 0 || field_.length > 1) refuse(field_, "one number");
        readElement(field_, 0, value);
    }

    template <typename T> void each(char const* name, std::vector<T>& values) {
        if (std::strcmp(name, field_.name) != 0) return;
        known = true;
        if (field_.length < 0 || (field_.length > 0 && field_.data == nullptr)) refuse(field_, "an array of numbers");
        values.resize(size_t(field_.length));
        for (int32_t i = 0; i < field_.length; ++i) readElement(field_, i, values[size_t(i)]);
    }

    bool known = false;

private:
    PluginField const& field_;
};

class Saver final : public Visitor<Saver> {
public:
    template <typename T> void each(char const*, T& value) { append(&value, 1); }
    template <typename T> void each(char const*, std::vector<T>& values) {
        auto const length = uint64_t(values.size());
        append(&length, 1);
        append(values.data(), values.size());
    }

    std::vector<std::byte> bytes;

private:
    template <typename T> void append(T const* first, size_t count) {
        auto const* const begin = reinterpret_cast<std::byte const*>(first);
        bytes.insert(bytes.end(), begin, begin + count * sizeof(T));
    }
};

class Loader final : public Visitor<Loader> {
public:
    explicit Loader(std::span<std::byte const> bytes) : rest_(bytes) {}

    template <typename T> void each(char const*, T& value) { take(&value, 1); }
    template <typename T> void each(char const*, std::vector<T>& values) {
        uint64_t length = 0;
        take(&length, 1);
        if (length > rest_.size() / sizeof(T)) throw std::invalid_argument("its saved data is cut off");
        values.resize(length);
        take(values.data(), length);
    }

    void end() const {
        if (!rest_.empty())
            throw std::invalid_argument("its saved data is " + std::to_string(rest_.size()) + " bytes too long");
    }

private:
    template <typename T> void take(T* first, size_t count) {
        size_t const size = count * sizeof(T);
        if (size > rest_.size()) throw std::invalid_argument("its saved data is cut off");
        if (size > 0) std::memcpy(first, rest_.data(), size);
        rest_ = rest_.subspan(size);
    }

    std::span<std::byte const> rest_;
};

} // namespace

std::vector<PluginField> describeFields(Plugin& plugin) {
    Describer describer;
    plugin.fields(describer);
    return std::move(describer.fields);
}

std::vector<std::string> readFields(Plugin& plugin, nvinfer1::PluginFieldCollection const& given) {
    std::vector<std::string> unknown;
    for (PluginField const& field : std::span(given.fields, size_t(std::max(given.nbFields, 0)))) {
        if (field.name == nullptr) throw std::invalid_argument("a field has no name");
        Reader reader(field);
        plugin.fields(reader);
        if (!reader.known) unknown.emplace_back(field.name);
    }
    plugin.check();
    return unknown;
}

std::vector<std::byte> saveFields(Plugin& plugin) {
    Saver saver;
    plugin.fields(saver);
    return std::move(saver.bytes);
}

void loadFields(Plugin& plugin, std::span<std::byte const> bytes) {
    Loader loader(bytes);
    plugin.fields(loader);
    loader.end();
    plugin.check();
}

} // namespace tenon::plugins
