// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

namespace tenon::cli {

/// Rows of cells, printed with each column as wide as its widest cell; the first row is the heading. A cell of several
/// lines continues below itself.
class Table {
public:
    explicit Table(std::vector<std::string> heading) : rows_{std::move(heading)} {}
    void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
    bool empty() const { return rows_.size() == 1; }
    /// With `indent` spaces before every line; no line ends with a space.
    std::string text(size_t indent = 2) const;

private:
    std::vector<size_t> widths() const;

    std::vector<std::vector<std::string>> rows_;
};

/// "1.5 MiB", "12 bytes".
std::string bytesText(double bytes);
/// Of nanoseconds: "850 ns", "1.3 us", "12.0 ms".
std::string timeText(double nanoseconds);

} // namespace tenon::cli
