// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/error.h"
#include "layers/einsum/einsum.h"

#include <algorithm>
#include <map>

namespace tenon {
namespace {

constexpr char kEllipsis = '.'; // one for all three

struct Written {
    std::vector<std::string> inputs; // without spaces
    std::string output;
    bool hasArrow = false;
};

[[noreturn]] void failAt(std::string_view equation, std::string const& what) {
    fail(ErrorCode::InvalidArgument, "equation \"", equation, "\" ", what);
}

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// A term with "..." as one character.
std::string termOf(std::string_view equation, std::string_view written) {
    std::string term;
    for (size_t i = 0; i < written.size(); ++i) {
        if (written[i] == ' ') continue;
        bool const dots = written.substr(i).starts_with("...");
        if (!dots && !isLetter(written[i]))
            failAt(equation, text("has '", written.substr(i, 1), "'; expected letters, \"...\", ',' and one \"->\""));
        if (dots && term.find(kEllipsis) != std::string::npos) failAt(equation, "has \"...\" twice in one term");
        term += written[i];
        i += dots ? 2 : 0;
    }
    return term;
}

Written read(std::string_view equation) {
    Written written;
    size_t const arrow = equation.find("->");
    written.hasArrow = arrow != std::string_view::npos;
    if (written.hasArrow) written.output = termOf(equation, equation.substr(arrow + 2));
    std::string_view rest = equation.substr(0, arrow);
    for (size_t comma = 0; comma != std::string_view::npos; rest.remove_prefix(std::min(comma, rest.size() - 1) + 1)) {
        comma = rest.find(',');
        written.inputs.push_back(termOf(equation, rest.substr(0, comma)));
        if (comma == std::string_view::npos) break;
    }
    return written;
}

/// The output of an equation without an arrow.
std::string impliedOutput(std::vector<std::string> const& inputs) {
    std::map<char, int> uses; // in ASCII order: "..." first
    for (std::string const& term : inputs) {
        for (char const c : term) uses[c] += 1;
    }
    std::string output;
    for (auto const& [c, count] : uses) {
        if (count == 1 || c == kEllipsis) output += c;
    }
    return output;
}

void checkOutput(std::string_view equation, Written const& written) {
    for (size_t i = 0; i < written.output.size(); ++i) {
        char const c = written.output[i];
        if (written.output.find(c, i + 1) != std::string::npos)
            failAt(equation, text("has '", std::string(1, c), "' twice in the output"));
        bool const known =
            std::ranges::any_of(written.inputs, [&](std::string const& term) { return term.find(c) != term.npos; });
        if (!known && c != kEllipsis) failAt(equation, text("has '", std::string(1, c), "' in the output alone"));
    }
}

Written checked(std::string_view equation) {
    Written written = read(equation);
    if (!written.hasArrow) written.output = impliedOutput(written.inputs);
    checkOutput(equation, written);
    return written;
}

Labels labelsOf(std::string const& term, int dots) {
    Labels labels;
    for (char const c : term) {
        if (c != kEllipsis) labels.push_back(c);
        for (int left = c == kEllipsis ? dots : 0; left > 0; --left) labels.push_back(-left);
    }
    return labels;
}

} // namespace

void checkEquation(std::string_view equation) { checked(equation); }

EinsumTerms einsumTerms(std::string_view equation, std::vector<int> const& ranks) {
    Written const written = checked(equation);
    if (written.inputs.size() != ranks.size())
        failAt(equation, text("has ", written.inputs.size(), " input terms; the number of inputs is ", ranks.size()));
    EinsumTerms terms;
    int most = 0; // the largest number of axes of "..."; in terms with fewer, these are the last ones
    for (size_t i = 0; i < ranks.size(); ++i) {
        std::string const& term = written.inputs[i];
        bool const hasDots = term.find(kEllipsis) != std::string::npos;
        int const dots = ranks[i] - static_cast<int>(term.size()) + (hasDots ? 1 : 0);
        if (dots < 0 || (dots > 0 && !hasDots))
            failAt(equation, text("gives input ", i, ' ', term.size() - (hasDots ? 1 : 0),
                                  hasDots ? " axes and \"...\"" : " axes", "; it has ", ranks[i]));
        terms.inputs.push_back(labelsOf(term, dots));
        most = std::max(most, dots);
    }
    terms.output = labelsOf(written.output, most);
    return terms;
}

} // namespace tenon
