// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/error.h"
#include "protobuf/message.h"

#include <algorithm>
#include <charconv>

namespace tenon::pb {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

struct Token {
    enum class Kind { End, Name, Number, String, Symbol };
    Kind kind = Kind::End;
    std::string_view text; // a string includes its quotes
    size_t at = 0;
};

class Tokens {
public:
    explicit Tokens(std::string_view text) : text_(text) {
        constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
        if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
        next();
    }

    Token const& peek() const { return token_; }

    Token take() {
        Token const taken = token_;
        next();
        return taken;
    }

    bool takeIf(char symbol) {
        if (!is(symbol)) return false;
        next();
        return true;
    }

    bool is(char symbol) const { return token_.kind == Token::Kind::Symbol && token_.text[0] == symbol; }

    template <class... Parts> [[noreturn]] void failAt(Token const& token, Parts const&... parts) const {
        auto const before = text_.substr(0, token.at);
        auto const line = std::ranges::count(before, '\n') + 1;
        auto const lineStart = before.rfind('\n') + 1; // of the first line: 0
        fail(ErrorCode::InvalidModel, "line ", line, ", column ", token.at - lineStart + 1, ": ", parts...);
    }

    /// "expected a number, found 'x'"
    [[noreturn]] void failExpected(std::string_view what) const {
        failAt(token_, "expected ", what, ", found ", token_.kind == Token::Kind::End ? "the end" : shown(token_.text));
    }

private:
    /// The printed form of a token: it may be a single byte of a multi-byte character, or empty.
    static std::string shown(std::string_view token) {
        constexpr std::string_view kDigits = "0123456789ABCDEF";
        auto const byte = static_cast<unsigned char>(token[0]);
        if (byte > 0x20 && byte < 0x7f) return text('\'', token, '\'');
        return text("the byte 0x", kDigits[byte / 16], kDigits[byte % 16]);
    }

    void next() {
        skipBlanks();
        size_t const start = at_;
        token_ = {Token::Kind::End, {}, start};
        if (start == text_.size()) return;
        char const first = text_[start];
        if (isLetter(first)) {
            token_.kind = Token::Kind::Name;
            passWhile([](char c) { return isLetter(c) || isDigit(c); });
        } else if (isDigit(first) || (first == '.' && start + 1 < text_.size() && isDigit(text_[start + 1]))) {
            token_.kind = Token::Kind::Number;
            passNumber();
        } else if (first == '"' || first == '\'') {
            token_.kind = Token::Kind::String;
            passString(first);
        } else {
            token_.kind = Token::Kind::Symbol;
            ++at_;
        }
        token_.text = text_.substr(start, at_ - start);
    }

    template <class Is> void passWhile(Is const& is) {
        while (at_ < text_.size() && is(text_[at_])) ++at_;
    }

    void skipBlanks() {
        for (;;) {
            passWhile(isSpace);
            if (at_ == text_.size() || text_[at_] != '#') return;
            passWhile([](char c) { return c != '\n'; });
        }
    }

    void passNumber() {
        for (char last = 0; at_ < text_.size(); ++at_) {
            char const c = text_[at_];
            bool const isSign = (c == '+' || c == '-') && (last == 'e' || last == 'E');
            if (!isSign && !isDigit(c) && !isLetter(c) && c != '.') return;
            last = c;
        }
    }

    void passString(char quote) {
        Token const start{Token::Kind::String, {}, at_};
        for (++at_; at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n'; ++at_) {
            if (text_[at_] == '\\') ++at_;
        }
        if (at_ >= text_.size() || text_[at_] != quote) failAt(start, "the string does not end on its line");
        ++at_;
    }

    std::string_view text_;
    size_t at_ = 0;
    Token token_;
};

/// The text between the quotes.
class Unescaped {
public:
    Unescaped(Tokens const& tokens, Token const& token)
        : tokens_(tokens), token_(token), rest_(token.text.substr(1, token.text.size() - 2)) {}

    std::string read() {
        while (!rest_.empty()) {
            char const c = pop();
            if (c == '\\') {
                escape(pop());
            } else {
                out_ += c;
            }
        }
        return std::move(out_);
    }

private:
    char pop() {
        char const c = rest_[0];
        rest_.remove_prefix(1);
        return c;
    }

    void escape(char c) {
        constexpr std::string_view kNames = "abfnrtv\\'\"?";
        constexpr std::string_view kMeant = "\a\b\f\n\r\t\v\\'\"?";
        if (auto const at = kNames.find(c); at != std::string_view::npos) {
            out_ += kMeant[at];
        } else if (c >= '0' && c <= '7') {
            rest_ = {rest_.data() - 1, rest_.size() + 1};
            out_ += static_cast<char>(digits(8, 3));
        } else if (c == 'x' || c == 'X') {
            out_ += static_cast<char>(digits(16, 2));
        } else if (c == 'u' || c == 'U') {
            appendUtf8(digits(16, c == 'u' ? 4 : 8));
        } else {
            tokens_.failAt(token_, "the string has the escape '\\", c, "', which does not exist");
        }
    }

    uint32_t digits(int base, size_t most) {
        uint32_t value = 0;
        auto const part = rest_.substr(0, most);
        auto const [end, problem] = std::from_chars(part.data(), part.data() + part.size(), value, base);
        if (problem != std::errc{}) tokens_.failAt(token_, "the string has an escape without digits");
        rest_.remove_prefix(static_cast<size_t>(end - part.data()));
        return value;
    }

    void appendUtf8(uint32_t code) {
        if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
            tokens_.failAt(token_, "the string has an escape for character ", code, ", which does not exist");
        if (code < 0x80) {
            out_ += static_cast<char>(code);
            return;
        }
        int const more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        uint32_t const lead = more == 1 ? 0xc0U : more == 2 ? 0xe0U : 0xf0U;
        out_ += static_cast<char>(lead | code >> (6U * static_cast<unsigned>(more)));
        for (int i = more - 1; i >= 0; --i)
            out_ += static_cast<char>(0x80U | (code >> (6U * static_cast<unsigned>(i)) & 0x3fU));
    }

    Tokens const& tokens_;
    Token const& token_;
    std::string_view rest_;
    std::string out_;
};

class Reader {
public:
    explicit Reader(std::string_view text) : tokens_(text) {}

    void read(Target target) {
        Fields once;
        while (tokens_.peek().kind != Token::Kind::End) field(target, once);
    }

private:
    using Fields = std::vector<Field const*>;

    /// \param once the non-repeated fields that this message had already
    void field(Target target, Fields& once) {
        if (tokens_.peek().kind != Token::Kind::Name) tokens_.failExpected("the name of a field");
        Token const name = tokens_.take();
        Field const* const field = target.type->find(name.text);
        if (!field) tokens_.failAt(name, target.type->name, " has no field '", name.text, "'");
        if (field->isRead() && !field->repeated) expectFirst(name, *field, once);
        bool const colon = tokens_.takeIf(':');
        if (tokens_.takeIf('[')) {
            values(target, *field);
        } else {
            value(target, *field, colon);
        }
        if (!tokens_.takeIf(',')) tokens_.takeIf(';');
    }

    void expectFirst(Token const& name, Field const& field, Fields& once) const {
        if (std::ranges::find(once, &field) != once.end())
            tokens_.failAt(name, '\'', field.name, "' occurs twice; expected one");
        once.push_back(&field);
    }

    void values(Target target, Field const& field) {
        if (field.isRead() && !field.repeated) tokens_.failExpected(text("one value for '", field.name, '\''));
        if (tokens_.takeIf(']')) return;
        do value(target, field, true);
        while (tokens_.takeIf(','));
        if (!tokens_.takeIf(']')) tokens_.failExpected("',' or ']'");
    }

    void value(Target target, Field const& field, bool colon) {
        if (!field.isRead()) return skipValue();
        if (field.kind == Kind::Message) return message(field.open(target.object), field);
        if (!colon) tokens_.failExpected(text("':' after '", field.name, '\''));
        switch (field.kind) {
        case Kind::Integer: return field.addInteger(target.object, integer(field));
        case Kind::Real: return real(target.object, field);
        case Kind::Bytes: return field.addBytes(target.object, string(field));
        case Kind::Message: return;
        }
    }

    void message(Target inner, Field const& field) {
        if (!tokens_.is('{') && !tokens_.is('<')) tokens_.failExpected(text("'{' after '", field.name, '\''));
        if (!inner.type) return skipValue(); // only its presence counts
        Token const open = tokens_.take();
        if (++depth_ > kMostDeep)
            tokens_.failAt(open, "messages are nested more than ", kMostDeep,
                           " deep; nested graphs are supported down to ", kMostDeep / 3);
        char const close = open.text[0] == '{' ? '}' : '>';
        Fields once;
        while (!tokens_.is(close)) {
            if (tokens_.peek().kind == Token::Kind::End) tokens_.failExpected(text('\'', close, '\''));
            this->field(inner, once);
        }
        tokens_.take();
        --depth_;
    }

    /// Skips one value, a list of values or a message with its contents.
    void skipValue() {
        int open = 0;
        do {
            if (tokens_.peek().kind == Token::Kind::End) tokens_.failExpected("a value");
            tokens_.takeIf('-');
            bool const isString = tokens_.peek().kind == Token::Kind::String;
            if (tokens_.is('{') || tokens_.is('<')) ++open;
            if (tokens_.is('}') || tokens_.is('>')) --open;
            tokens_.take();
            while (isString && tokens_.peek().kind == Token::Kind::String) tokens_.take();
        } while (open > 0);
    }

    uint64_t integer(Field const& field) {
        bool const negative = tokens_.takeIf('-');
        Token const token = tokens_.peek();
        if (!negative && token.kind == Token::Kind::Name) return named(field);
        if (token.kind != Token::Kind::Number) failNoNumber(field);
        auto digits = token.text;
        int base = 10;
        if (digits.size() > 1 && digits[0] == '0') {
            bool const isHex = digits[1] == 'x' || digits[1] == 'X';
            base = isHex ? 16 : 8;
            digits.remove_prefix(isHex ? 2 : 1);
        }
        uint64_t value = 0;
        auto const [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
        if (problem == std::errc::invalid_argument || end != digits.data() + digits.size()) failNoNumber(field);
        uint64_t const most = negative ? uint64_t{0} - static_cast<uint64_t>(field.least) : field.most;
        if (problem != std::errc{} || value > most)
            tokens_.failAt(token, negative ? "-" : "", token.text, " does not fit in '", field.name, '\'');
        tokens_.take();
        return negative ? uint64_t{0} - value : value;
    }

    uint64_t named(Field const& field) {
        auto const found = std::ranges::find(field.names, tokens_.peek().text);
        if (found == field.names.end()) failNoNumber(field);
        tokens_.take();
        auto const value = static_cast<uint64_t>(found - field.names.begin());
        return field.isBoolean ? value % 2 : value;
    }

    [[noreturn]] void failNoNumber(Field const& field) const {
        std::string what = text("an integer for '", field.name, '\'');
        if (!field.names.empty()) what += text(", or one of ", joined(field.names));
        tokens_.failExpected(what);
    }

    void real(void* object, Field const& field) {
        bool const negative = tokens_.takeIf('-');
        double value = 0;
        auto digits = tokens_.peek().text;
        if (tokens_.peek().kind == Token::Kind::Number && (digits.ends_with('f') || digits.ends_with('F')))
            digits.remove_suffix(1);
        auto const [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        bool const isNumber =
            tokens_.peek().kind == Token::Kind::Number || tokens_.peek().kind == Token::Kind::Name; // inf, nan
        if (!isNumber || problem == std::errc::invalid_argument || end != digits.data() + digits.size())
            tokens_.failExpected(text("a number for '", field.name, '\''));
        if (problem == std::errc::result_out_of_range && value == 0) value = beyond(digits);
        tokens_.take();
        if (negative) value = -value;
        auto const narrow = static_cast<float>(value);
        if (field.width == sizeof(float)) return field.addReals(object, std::as_bytes(std::span(&narrow, 1)));
        field.addReals(object, std::as_bytes(std::span(&value, 1)));
    }

    /// Numbers out of range become infinite, or 0 if they are too small.
    static double beyond(std::string_view digits) {
        auto const exponent = digits.find_first_of("eE");
        bool const small = exponent != std::string_view::npos && digits.substr(exponent + 1).starts_with('-');
        return small ? 0 : std::numeric_limits<double>::infinity();
    }

    std::string string(Field const& field) {
        if (tokens_.peek().kind != Token::Kind::String) tokens_.failExpected(text("a string for '", field.name, '\''));
        std::string all;
        while (tokens_.peek().kind == Token::Kind::String) {
            Token const part = tokens_.take();
            all += Unescaped(tokens_, part).read();
        }
        return all;
    }

    Tokens tokens_;
    int depth_ = 0;
};

} // namespace

void readText(std::string_view text, Target message) { Reader(text).read(message); }

} // namespace tenon::pb
