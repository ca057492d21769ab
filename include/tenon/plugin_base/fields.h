// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// The fields of a plugin, which it shows once: described, read, saved and loaded.
#ifndef TENON_PLUGIN_BASE_FIELDS_H
#define TENON_PLUGIN_BASE_FIELDS_H

#ifndef TENON_PLUGIN_BASE_H
#error "tenon/plugin_base.h includes this where it belongs: include that instead."
#endif

#include "tenon/plugin_base/log.h"
#include "tenon/plugin_base/short_floats.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace tenon {
inline namespace TENON_PLUGIN_BASE {
namespace TENON_PLUGIN_HOSTING {

using nvinfer1::PluginField;
using nvinfer1::PluginFieldType;
using Bytes = std::vector<unsigned char>;

/// A visitor whose `each(name, value)` takes values of all types.
template <typename Derived> class Visitor : public PluginBase::FieldVisitor {
public:
    void operator()(char const* name, int32_t& value) final { self().each(name, value); }
    void operator()(char const* name, float& value) final { self().each(name, value); }
    void operator()(char const* name, std::string& text) final { self().each(name, text); }
    void operator()(char const* name, std::vector<int32_t>& values) final { self().each(name, values); }
    void operator()(char const* name, std::vector<float>& values) final { self().each(name, values); }

private:
    Derived& self() { return static_cast<Derived&>(*this); }
};

/// Returns the field type of a C++ type.
inline PluginFieldType fieldTypeOf(int32_t) { return PluginFieldType::kINT32; }
inline PluginFieldType fieldTypeOf(float) { return PluginFieldType::kFLOAT32; }
inline PluginFieldType fieldTypeOf(char) { return PluginFieldType::kCHAR; }

/// Lists the fields of a plugin as PluginFields, which refer to the members of the plugin.
class Describer final : public Visitor<Describer> {
public:
    template <typename T> void each(char const* name, T& value) { add(name, &value, 1); }
    template <typename T> void each(char const* name, std::vector<T>& values) {
        add(name, values.data(), values.size());
    }
    void each(char const* name, std::string& text) { add(name, text.data(), text.size()); }

    std::vector<PluginField> described;

private:
    template <typename T> void add(char const* name, T const* first, size_t length) {
        described.emplace_back(name, first, fieldTypeOf(T()), int32_t(length));
    }
};

/// Returns the name of a field type, such as "INT32"; the number for one that no level has.
inline std::string nameOf(PluginFieldType type) {
    // not static, which would be a unique symbol of the process, with which dlclose leaves the library where it is
    char const* const names[] = {"FLOAT16", "FLOAT32", "FLOAT64", "INT8",  "INT16", "INT32", "CHAR",
                                 "DIMS",    "UNKNOWN", "BF16",    "INT64", "FP8",   "INT4",  "FP4"};
    int const number = int(type);
    bool const isKnown = number >= 0 && number < int(sizeof names / sizeof *names);
    return isKnown ? std::string(names[number]) : decimal(number);
}

/// Assigns a given field to the member with its name. An INT8, INT16 or INT64 field is accepted for an integer and a
/// FLOAT64 or FLOAT16 field for a float, if the value fits.
/// \throws std::invalid_argument for another type or length, or a value that does not fit
class FieldReader final : public Visitor<FieldReader> {
public:
    explicit FieldReader(PluginField const& given) : given_(given) {}

    // A field whose author left out the length has length 0.
    template <typename T> void each(char const* name, T& value) {
        if (!isGiven(name)) return;
        if (given_.data == nullptr || given_.length < 0 || given_.length > 1) refuse("one number");
        readElement(0, value);
    }

    template <typename T> void each(char const* name, std::vector<T>& values) {
        if (!isGiven(name)) return;
        if (given_.length < 0 || (given_.length > 0 && given_.data == nullptr)) refuse("an array of numbers");
        values.resize(size_t(given_.length));
        for (int32_t i = 0; i < given_.length; ++i) readElement(i, values[size_t(i)]);
    }

    void each(char const* name, std::string& text) {
        if (!isGiven(name)) return;
        if (given_.type != PluginFieldType::kCHAR || given_.length < 0 || (given_.length > 0 && given_.data == nullptr))
            refuse("a text, of type CHAR");
        char const* const first = static_cast<char const*>(given_.data);
        text.assign(first, first + given_.length);
        text.resize(std::strlen(text.c_str())); // the terminating NUL may be among the characters
    }

    /// Returns whether the plugin has a field of the given name.
    bool isKnown() const { return isKnown_; }

private:
    bool isGiven(char const* name) {
        bool const isGiven = std::strcmp(name, given_.name) == 0;
        isKnown_ = isKnown_ || isGiven;
        return isGiven;
    }

    [[noreturn]] void refuse(char const* expected) const {
        throw std::invalid_argument("field '" + std::string(given_.name) + "' has to be " + expected + "; found type " +
                                    nameOf(given_.type) + ", length " + decimal(given_.length));
    }

    template <typename T> T elementAt(int32_t index) const {
        T element;
        std::memcpy(&element, static_cast<char const*>(given_.data) + size_t(index) * sizeof(T), sizeof(T));
        return element;
    }

    int32_t narrow(int64_t wide) const {
        if (wide < std::numeric_limits<int32_t>::min() || wide > std::numeric_limits<int32_t>::max())
            throw std::invalid_argument("field '" + std::string(given_.name) +
                                        "' does not fit in 32 bits: " + decimal(wide));
        return int32_t(wide);
    }

    float narrow(double wide) const {
        float const value = float(wide);
        if (std::isfinite(wide) && !std::isfinite(value)) {
            char text[32];
            std::snprintf(text, sizeof text, "%g", wide);
            throw std::invalid_argument("field '" + std::string(given_.name) + "' does not fit in a FLOAT32: " + text);
        }
        return value;
    }

    void readElement(int32_t index, int32_t& value) const {
        uint32_t const kSmallestNormalFloat = 1U << 23;     // as bits; nobody means a smaller one
        PluginFieldType const kInt64 = PluginFieldType(10); // level 7 has no name for it, but may be given one
        if (given_.type == PluginFieldType::kINT32)
            value = elementAt<int32_t>(index);
        else if (given_.type == PluginFieldType::kINT8)
            value = elementAt<int8_t>(index);
        else if (given_.type == PluginFieldType::kINT16)
            value = elementAt<int16_t>(index);
        else if (given_.type == kInt64)
            value = narrow(elementAt<int64_t>(index));
        else if (given_.type == PluginFieldType::kFLOAT32 && elementAt<uint32_t>(index) < kSmallestNormalFloat)
            value = elementAt<int32_t>(index); // an integer whose type is wrong, such as var_seqlen of NVIDIA's BERT
        else
            refuse("of type INT32");
    }

    void readElement(int32_t index, float& value) const {
        if (given_.type == PluginFieldType::kFLOAT32)
            value = elementAt<float>(index);
        else if (given_.type == PluginFieldType::kFLOAT64)
            value = narrow(elementAt<double>(index));
        else if (given_.type == PluginFieldType::kFLOAT16)
            value = fromHalf(elementAt<uint16_t>(index));
        else
            refuse("of type FLOAT32");
    }

    PluginField const& given_;
    bool isKnown_ = false;
};

/// Writes all fields as bytes, in the order of fields(): numbers as they are, arrays and texts after their length.
class FieldSaver final : public Visitor<FieldSaver> {
public:
    template <typename T> void each(char const*, T& value) { append(&value, 1); }
    template <typename T> void each(char const*, std::vector<T>& values) { appendAll(values); }
    void each(char const*, std::string& text) { appendAll(text); }

    Bytes bytes;

private:
    template <typename Values> void appendAll(Values const& values) {
        uint64_t const length = values.size();
        append(&length, 1);
        append(values.data(), values.size());
    }
    template <typename T> void append(T const* first, size_t count) {
        unsigned char const* const begin = reinterpret_cast<unsigned char const*>(first);
        bytes.insert(bytes.end(), begin, begin + count * sizeof(T));
    }
};

/// Reads all fields from the bytes of FieldSaver.
/// \throws std::invalid_argument if the bytes are too short
class FieldLoader final : public Visitor<FieldLoader> {
public:
    FieldLoader(void const* bytes, size_t size) : rest_(static_cast<unsigned char const*>(bytes)), size_(size) {}

    template <typename T> void each(char const*, T& value) { take(&value, 1); }
    template <typename T> void each(char const*, std::vector<T>& values) { takeAll<T>(values); }
    void each(char const*, std::string& text) { takeAll<char>(text); }

    /// Checks that all bytes have been read.
    /// \throws std::invalid_argument if not
    void end() const {
        if (size_ > 0) throw std::invalid_argument("its saved data is " + decimal(size_) + " bytes too long");
    }

private:
    [[noreturn]] static void refuse() { throw std::invalid_argument("its saved data is cut off"); }

    template <typename T, typename Values> void takeAll(Values& values) {
        uint64_t length = 0;
        take(&length, 1);
        if (length > size_ / sizeof(T)) refuse();
        values.resize(size_t(length));
        if (length > 0) take(&values[0], values.size());
    }
    template <typename T> void take(T* first, size_t count) {
        size_t const size = count * sizeof(T);
        if (size > size_) refuse();
        std::memcpy(first, rest_, size);
        rest_ += size;
        size_ -= size;
    }

    unsigned char const* rest_;
    size_t size_;
};

/// Finds the INT32 field with a given name.
class IntegerField final : public Visitor<IntegerField> {
public:
    explicit IntegerField(std::string const& name) : name_(name) {}
    template <typename T> void each(char const*, T&) {}
    void each(char const* name, int32_t& found) {
        if (name_ == name) value = &found;
    }

    int32_t const* value = nullptr; ///< Null where there is none.

private:
    std::string const& name_;
};

/// Returns the fields of a plugin. They refer to its members and are valid as long as these.
inline std::vector<PluginField> describeFields(PluginBase& plugin) {
    Describer describer;
    plugin.fields(describer);
    return std::move(describer.described);
}

/// Assigns given fields and calls PluginBase::check(). Fields that are not given keep their defaults.
/// \return the given names that the plugin does not have
/// \throws std::invalid_argument for a field that is not valid
inline std::vector<std::string> readFields(PluginBase& plugin, nvinfer1::PluginFieldCollection const& given) {
    if (given.nbFields > 0 && given.fields == nullptr)
        throw std::invalid_argument("the collection has " + decimal(given.nbFields) +
                                    " fields, and the pointer to them is null");
    std::vector<std::string> unknown;
    for (int32_t i = 0; i < given.nbFields; ++i) {
        if (given.fields[i].name == nullptr) throw std::invalid_argument("a field has no name");
        FieldReader reader(given.fields[i]);
        plugin.fields(reader);
        if (!reader.isKnown()) unknown.emplace_back(given.fields[i].name);
    }
    plugin.check();
    return unknown;
}

/// Returns the fields as bytes, in the order of fields().
inline Bytes saveFields(PluginBase& plugin) {
    FieldSaver saver;
    plugin.fields(saver);
    return std::move(saver.bytes);
}

/// Assigns the fields from the bytes of saveFields() and calls PluginBase::check().
/// \throws std::invalid_argument for bytes that are cut off or too long
inline void loadFields(PluginBase& plugin, void const* bytes, size_t size) {
    if (bytes == nullptr && size > 0) throw std::invalid_argument("its saved data is null");
    FieldLoader loader(bytes, size);
    plugin.fields(loader);
    loader.end();
    plugin.check();
}

} // namespace TENON_PLUGIN_HOSTING
} // namespace TENON_PLUGIN_BASE
} // namespace tenon

#endif // TENON_PLUGIN_BASE_FIELDS_H
