// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "table.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>

namespace tenon::cli {
namespace {

std::vector<std::string> linesOf(std::string const& cell) {
    std::vector<std::string> lines;
    for (size_t start = 0; start <= cell.size();) {
        size_t const end = std::min(cell.find('\n', start), cell.size());
        lines.push_back(cell.substr(start, end - start));
        start = end + 1;
    }
    return lines;
}

/// Columns on a terminal: only the first byte of a UTF-8 character counts.
size_t widthOf(std::string const& line) {
    return static_cast<size_t>(std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string withoutTrailingSpaces(std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
}

std::string inUnits(double value, double step, std::span<char const* const> units) {
    size_t unit = 0;
    while (value >= step * 0.9995 && unit + 1 < units.size()) value /= step, ++unit;
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
    return text.data();
}

} // namespace

std::vector<size_t> Table::widths() const {
    std::vector<size_t> widths(rows_.front().size(), 0);
    for (auto const& row : rows_) {
        for (size_t i = 0; i < row.size() && i < widths.size(); ++i) {
            for (std::string const& line : linesOf(row[i])) widths[i] = std::max(widths[i], widthOf(line));
        }
    }
    return widths;
}

std::string Table::text(size_t indent) const {
    std::vector<size_t> const columns = widths();
    std::string all;
    for (auto const& row : rows_) {
        std::vector<std::vector<std::string>> cells;
        for (std::string const& cell : row) cells.push_back(linesOf(cell));
        size_t height = 0;
        for (auto const& cell : cells) height = std::max(height, cell.size());
        for (size_t line = 0; line < height; ++line) {
            std::string printed(indent, ' ');
            for (size_t i = 0; i < cells.size(); ++i) {
                std::string const part = line < cells[i].size() ? cells[i][line] : "";
                printed += part + std::string(columns[i] - widthOf(part) + 2, ' ');
            }
            all += withoutTrailingSpaces(std::move(printed)) + '\n';
        }
    }
    return all;
}

std::string bytesText(double bytes) {
    static constexpr char const* kUnits[]{"bytes", "KiB", "MiB", "GiB", "TiB"};
    return inUnits(bytes, 1024, kUnits);
}

std::string timeText(double nanoseconds) {
    static constexpr char const* kUnits[]{"ns", "us", "ms", "s"};
    return inUnits(nanoseconds, 1000, kUnits);
}

} // namespace tenon::cli
