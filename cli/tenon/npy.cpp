// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "npy.h"

#include "failure.h"
#include "files.h"

#include <charconv>
#include <cstring>

namespace tenon::cli {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMostDims = 32; // numpy's

/// Reads the Python literal that describes the array: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class HeaderReader {
public:
    explicit HeaderReader(std::string_view text) : rest_(text) {}

    std::string descr;
    bool fortranOrder = false;
    std::vector<int64_t> shape;

    void read() {
        expect('{');
        while (!accept('}')) {
            std::string_view const key = quoted();
            expect(':');
            readValue(key);
            if (accept(',')) continue;
            expect('}');
            break;
        }
        if (descr.empty() || !hasOrder_ || !hasShape_)
            fail("has a header without one of descr, fortran_order and shape");
    }

private:
    void readValue(std::string_view key) {
        if (key == "descr") {
            skipSpaces();
            if (rest_.starts_with('[')) fail("holds records; expected plain numbers");
            descr = quoted();
        } else if (key == "fortran_order") {
            fortranOrder = truth();
            hasOrder_ = true;
        } else if (key == "shape") {
            shape = tuple();
            hasShape_ = true;
        } else {
            fail("has a header that names ", key, ", which .npy does not have");
        }
    }

    void skipSpaces() {
        while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n')) rest_.remove_prefix(1);
    }
    bool accept(char wanted) {
        skipSpaces();
        if (!rest_.starts_with(wanted)) return false;
        rest_.remove_prefix(1);
        return true;
    }
    void expect(char wanted) {
        if (!accept(wanted)) fail("has a damaged header: expected '", wanted, "' at \"", rest_.substr(0, 20), "\"");
    }
    std::string_view quoted() {
        skipSpaces();
        char const quote = rest_.starts_with('"') ? '"' : '\'';
        expect(quote);
        size_t const end = rest_.find(quote);
        if (end == std::string_view::npos) fail("has a damaged header: a string is not terminated");
        std::string_view const text = rest_.substr(0, end);
        rest_.remove_prefix(end + 1);
        return text;
    }
    bool truth() {
        skipSpaces();
        bool const isTrue = rest_.starts_with("True");
        if (!isTrue && !rest_.starts_with("False")) fail("has a damaged header: fortran_order is not True or False");
        rest_.remove_prefix(isTrue ? 4 : 5);
        return isTrue;
    }
    std::vector<int64_t> tuple() {
        std::vector<int64_t> numbers;
        expect('(');
        while (!accept(')')) {
            int64_t number = -1;
            skipSpaces();
            auto const read = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
            if (read.ec != std::errc() || number < 0 || numbers.size() == kMostDims)
                fail("has a damaged header: its shape is not a list of up to ", kMostDims, " extents");
            rest_.remove_prefix(static_cast<size_t>(read.ptr - rest_.data()));
            numbers.push_back(number);
            if (accept(',')) continue;
            expect(')');
            break;
        }
        return numbers;
    }

    std::string_view rest_;
    bool hasOrder_ = false;
    bool hasShape_ = false;
};

size_t littleEndian(std::string_view bytes) {
    size_t value = 0;
    for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
}

/// The header's text; `file` becomes the rest.
std::string_view takeHeader(std::string_view& file) {
    if (!file.starts_with(kMagic)) fail("is not a .npy file: it does not start with its magic bytes");
    if (file.size() < 8) fail("is truncated in its header");
    auto const version = static_cast<unsigned char>(file[6]);
    if (version < 1 || version > 3) fail("is a .npy file of version ", int{version}, "; expected 1, 2 or 3");
    size_t const lengthBytes = version == 1 ? 2 : 4;
    if (file.size() < 8 + lengthBytes) fail("is truncated in its header");
    size_t const length = littleEndian(file.substr(8, lengthBytes));
    file.remove_prefix(8 + lengthBytes);
    if (file.size() < length) fail("is truncated in its header");
    std::string_view const header = file.substr(0, length);
    file.remove_prefix(length);
    return header;
}

Element elementNamed(std::string_view descr) {
    char const order = descr.front();
    ElementInfo const* const info = elementOf(descr.substr(1));
    if (!info || !std::strchr("<>|=", order))
        fail("holds elements of type '", descr, "'; expected integers, floats of up to 64 bits or bool");
    if (order == '>' && info->bytes > 1)
        fail("holds big-endian numbers ('", descr, "'); save it with .astype('<", info->descr, "')");
    return info->element;
}

/// Bytes of the whole array; a Failure if the file has another number.
void checkSize(HeaderReader const& header, size_t elementBytes, size_t found) {
    size_t expected = elementBytes;
    for (int64_t const extent : header.shape) {
        if (__builtin_mul_overflow(expected, static_cast<size_t>(extent), &expected))
            fail("has a shape of more elements than any memory holds");
    }
    if (found < expected) fail("is truncated: it has ", found, " bytes of elements; expected ", expected);
    if (found > expected) fail("has ", found, " bytes of elements, more than the ", expected, " of its shape");
}

/// Column-major → row-major.
std::string rowMajor(std::string_view columnMajor, std::vector<int64_t> const& dims, size_t elementBytes) {
    std::string ordered(columnMajor.size(), '\0');
    std::vector<int64_t> index(dims.size(), 0);
    for (size_t from = 0; from < columnMajor.size(); from += elementBytes) {
        size_t to = 0;
        for (size_t axis = 0; axis < dims.size(); ++axis)
            to = to * static_cast<size_t>(dims[axis]) + static_cast<size_t>(index[axis]);
        std::memcpy(ordered.data() + to * elementBytes, columnMajor.data() + from, elementBytes);
        for (size_t axis = 0; axis < dims.size() && ++index[axis] == dims[axis]; ++axis) index[axis] = 0;
    }
    return ordered;
}

} // namespace

Array parseNpy(std::string_view file) {
    HeaderReader header(takeHeader(file));
    header.read();
    Array array{elementNamed(header.descr), header.shape, {}};
    size_t const elementBytes = infoOf(array.element).bytes;
    checkSize(header, elementBytes, file.size());
    array.bytes = header.fortranOrder ? rowMajor(file, header.shape, elementBytes) : std::string(file);
    return array;
}

std::string printNpy(Array const& array) {
    ElementInfo const& info = infoOf(array.element);
    std::string shape;
    for (int64_t const dim : array.dims) shape += joined(dim, ", ");
    std::string header = joined("{'descr': '", info.bytes == 1 ? '|' : '<', info.descr,
                                "', 'fortran_order': False, 'shape': (", shape, "), }");
    size_t const before = kMagic.size() + 4;
    header += std::string(63 - (before + header.size()) % 64, ' ') + '\n'; // the elements start at a multiple of 64
    std::string file(kMagic);
    file += {'\x01', '\x00', static_cast<char>(header.size() & 0xFF), static_cast<char>(header.size() >> 8)};
    return file + header + array.bytes;
}

Array readNpy(std::string const& path) {
    std::string const bytes = readFile(path);
    try {
        return parseNpy(bytes);
    } catch (Failure const& failure) {
        fail(path, " ", failure.what());
    }
}

} // namespace tenon::cli
