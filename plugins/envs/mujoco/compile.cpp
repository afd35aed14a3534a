// SPDX-License-Identifier: Apache-2.0
// Compiles expressions by recursive descent. Each rule parses what binds more tightly first:
//     or: and ("or" and)*            and: not ("and" not)*            not: "not" not | comparison
//     comparison: sum (("<" | "<=" | ">" | ">=" | "==" | "!=") sum)?   sum: product (("+" | "-") product)*
//     product: sign (("*" | "/") sign)*    sign: "-" sign | power       power: element ("^" sign)?
//     element: atom ("[" index "]")*      atom: number | name | name "(" arguments ")" | "(" or ")" | "[" or, ... "]"
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "hints.hpp"
#include "program.hpp"
#include "tenon/option_text.hpp"
#include "words.hpp"

namespace physics {
namespace {

bool begins_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

class Compiler {
public:
    Compiler(std::string_view text, const std::string& option, const mjModel& model, double dt, Program& program)
        : text_(text), option_(option), model_(model), dt_(dt), program_(program) {}

    Slot run() {
        const Slot result = disjunction();
        skip_blanks();
        if (at_ < text_.size()) {
            refuse(at_, "what follows is not understood: '" + std::string(text_.substr(at_)) + "'" +
                            hint_of_text(text_.substr(at_)));
        }
        return result;
    }

private:
    using Binary = double (*)(double, double);
    static constexpr int kDeepest = 100;

    [[noreturn]] void refuse(std::size_t at, const std::string& why) const {
        throw tenon::mistake_in(option_, text_, at, why);
    }

    void skip_blanks() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) {
            ++at_;
        }
    }
    bool take(std::string_view sign) {
        skip_blanks();
        if (!text_.substr(at_).starts_with(sign)) {
            return false;
        }
        const std::size_t end = at_ + sign.size();
        if (begins_word(sign[0]) && end < text_.size() && (begins_word(text_[end]) || is_digit(text_[end]))) {
            return false;  // the beginning of a longer word
        }
        at_ = end;
        return true;
    }
    void expect(std::string_view sign) {
        if (!take(sign)) {
            refuse(at_, at_ < text_.size() ? "expected '" + std::string(sign) + "' before '" + text_[at_] + "'"
                                           : "it ends where '" + std::string(sign) + "' is expected");
        }
    }

    Slot slot(std::size_t size) {
        const std::size_t at = program_.registers.size();
        program_.registers.resize(at + size);
        return {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(size)};
    }
    Slot constant(double value) {
        const Slot out = slot(1);
        program_.registers[out.at] = value;
        return out;
    }
    Slot emit(Instruction instruction, std::size_t size) {
        instruction.out = slot(size);
        program_.instructions.push_back(instruction);
        return instruction.out;
    }

    // The length of what is computed element by element from both.
    std::size_t common(Slot a, Slot b, std::size_t at) const {
        if (a.size != b.size && a.size != 1 && b.size != 1) {
            refuse(at, "a list of " + std::to_string(a.size) + " and one of " + std::to_string(b.size) +
                           " do not fit together");
        }
        return std::max(a.size, b.size);
    }
    Slot binary(Slot a, Slot b, std::size_t at, Binary function) {
        return emit({.op = Op::kBinary, .a = a, .b = b, .binary = function}, common(a, b, at));
    }

    Slot disjunction() {
        if (++depth_ > kDeepest) {
            refuse(at_, "it is nested too deeply");
        }
        Slot left = conjunction();
        for (std::size_t at = at_; take("or"); at = at_) {
            left = binary(left, conjunction(), at, [](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; });
        }
        --depth_;
        return left;
    }
    Slot conjunction() {
        Slot left = negation();
        for (std::size_t at = at_; take("and"); at = at_) {
            left = binary(left, negation(), at, [](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; });
        }
        return left;
    }
    Slot negation() {
        if (take("not")) {
            const Slot a = negation();
            return emit({.op = Op::kUnary, .a = a, .unary = [](double x) { return x == 0 ? 1.0 : 0.0; }}, a.size);
        }
        return comparison();
    }
    Slot comparison() {
        struct Sign {
            std::string_view text;
            Binary function;
        };
        static constexpr std::array<Sign, 6> kSigns = {{{"<=", [](double a, double b) { return a <= b ? 1.0 : 0.0; }},
                                                        {">=", [](double a, double b) { return a >= b ? 1.0 : 0.0; }},
                                                        {"==", [](double a, double b) { return a == b ? 1.0 : 0.0; }},
                                                        {"!=", [](double a, double b) { return a != b ? 1.0 : 0.0; }},
                                                        {"<", [](double a, double b) { return a < b ? 1.0 : 0.0; }},
                                                        {">", [](double a, double b) { return a > b ? 1.0 : 0.0; }}}};
        const Slot left = sum();
        for (const Sign& sign : kSigns) {
            const std::size_t at = at_;
            if (take(sign.text)) {
                return binary(left, sum(), at, sign.function);
            }
        }
        return left;
    }
    Slot sum() {
        Slot left = product();
        for (;;) {
            const std::size_t at = at_;
            if (take("+")) {
                left = binary(left, product(), at, [](double a, double b) { return a + b; });
            } else if (take("-")) {
                left = binary(left, product(), at, [](double a, double b) { return a - b; });
            } else {
                return left;
            }
        }
    }
    Slot product() {
        Slot left = signed_power();
        for (;;) {
            const std::size_t at = at_;
            if (take("*")) {
                left = binary(left, signed_power(), at, [](double a, double b) { return a * b; });
            } else if (take("/")) {
                left = binary(left, signed_power(), at, [](double a, double b) { return a / b; });
            } else {
                return left;
            }
        }
    }
    Slot signed_power() {
        if (++depth_ > kDeepest) {
            refuse(at_, "it is nested too deeply");
        }
        Slot result;
        if (take("-")) {
            const Slot a = signed_power();
            result = emit({.op = Op::kUnary, .a = a, .unary = [](double x) { return -x; }}, a.size);
        } else {
            result = power();
        }
        --depth_;
        return result;
    }
    Slot power() {
        const Slot base = element();
        const std::size_t at = at_;
        if (!take("^")) {
            return base;
        }
        return binary(base, signed_power(), at, [](double a, double b) { return b == 2 ? a * a : std::pow(a, b); });
    }

    // An index or a range: x[2], x[1:3], x[2:]; negative ones count from the end.
    Slot element() {
        Slot list = atom();
        while (take("[")) {
            const std::size_t at = at_;
            const auto count = static_cast<std::int64_t>(list.size);
            skip_blanks();
            const bool from_start = at_ < text_.size() && text_[at_] == ':';
            const std::int64_t first = from_start ? 0 : index(count);
            std::int64_t end = first + 1;
            if (take(":")) {
                skip_blanks();
                end = at_ < text_.size() && text_[at_] == ']' ? count : index(count);
            }
            expect("]");
            if (first < 0 || end > count || first >= end) {
                refuse(at, "there is no such part of a list of " + std::to_string(count));
            }
            list = {static_cast<std::uint32_t>(list.at + first), static_cast<std::uint32_t>(end - first)};
        }
        return list;
    }
    std::int64_t index(std::int64_t count) {
        skip_blanks();
        const bool negative = take("-");
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
        if (error != std::errc()) {
            refuse(at_, "an index is a whole number, or a range such as 1:3");
        }
        at_ = static_cast<std::size_t>(end - text_.data());
        return negative ? count - value : value;
    }

    Slot atom() {
        skip_blanks();
        const std::size_t at = at_;
        if (at_ >= text_.size()) {
            refuse(at, "it ends where a value is expected");
        }
        if (take("(")) {
            const Slot inner = disjunction();
            expect(")");
            return inner;
        }
        if (take("[")) {
            return joined(arguments("]"));
        }
        if (is_digit(text_[at_]) || text_[at_] == '.') {
            return number();
        }
        if (begins_word(text_[at_])) {
            return named(at, word());
        }
        refuse(at, std::string("no value begins with '") + text_[at_] + "'" + hint_of_text(text_.substr(at_)));
    }
    Slot number() {
        double value = 0;
        const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
        if (error != std::errc()) {
            refuse(at_, "this is not a number");
        }
        at_ = static_cast<std::size_t>(end - text_.data());
        return constant(value);
    }
    std::string_view word() {
        const std::size_t first = at_;
        while (at_ < text_.size() && (begins_word(text_[at_]) || is_digit(text_[at_]))) {
            ++at_;
        }
        return text_.substr(first, at_ - first);
    }
    std::vector<Slot> arguments(std::string_view closing) {
        std::vector<Slot> all;
        if (take(closing)) {
            return all;
        }
        do {
            all.push_back(disjunction());
        } while (take(","));
        expect(closing);
        return all;
    }
    Slot joined(const std::vector<Slot>& parts) {
        std::size_t size = 0;
        for (const Slot& part : parts) {
            size += part.size;
        }
        if (size == 0) {
            refuse(at_, "a list has at least one element");
        }
        const Slot out = slot(size);
        std::uint32_t at = out.at;
        for (const Slot& part : parts) {
            program_.instructions.push_back({.op = Op::kCopy, .out = {at, part.size}, .a = part});
            at += part.size;
        }
        return out;
    }

    Slot named(std::size_t at, std::string_view name) {
        if (name == "pi") {
            return constant(std::numbers::pi);
        }
        if (name == "inf") {
            return constant(std::numeric_limits<double>::infinity());
        }
        if (name == "true" || name == "false") {
            return constant(name == "true" ? 1 : 0);
        }
        if (name == "dt") {
            return constant(dt_);
        }
        if (name == "time") {
            return emit({.op = Op::kTime}, 1);
        }
        for (const Input& input : program_.inputs) {
            if (input.name == name) {
                return input.slot;
            }
        }
        if (is_fixed(name)) {
            return fixed_part(at, name);
        }
        if (name == "contacts") {
            program_.reads_positions = true;
            return emit({.op = Op::kContacts}, 1);
        }
        if (const std::optional<Part> part = whole_array(name, model_); part) {
            return take("(") ? object_part(at, name) : load(at, name, *part);
        }
        if (!take("(")) {
            refuse(at, "there is no '" + std::string(name) + "'" + hint_of_word(name, model_));
        }
        return call(at, name);
    }
    Slot load(std::size_t at, std::string_view name, const Part& part) {
        if (part.size == 0) {
            refuse(at, "the model has no elements of '" + std::string(name) + "'");
        }
        program_.reads_positions = program_.reads_positions || part.derived;
        program_.reads_contact_forces = program_.reads_contact_forces || part.contact_forces;
        return emit({.op = Op::kLoad, .array = part.array, .index = part.index}, part.size);
    }
    // xpos('torso')
    Slot object_part(std::size_t at, std::string_view array) {
        const std::string kind(kind_of_object(array));
        if (kind.empty()) {
            refuse(at, "the parts of '" + std::string(array) + "' have no names; take an index, as in " +
                           std::string(array) + "[0]");
        }
        const auto [quote, object] = quoted(array, kind);
        const std::optional<Part> part = part_of(array, object, model_);
        if (!part) {
            refuse(quote,
                   "the model has no " + kind + " '" + object + "'" + suggestion(object, objects_of(array, model_)));
        }
        return load(at, array, *part);
    }
    // geom_size('target'): numbers of the model, which never change.
    Slot fixed_part(std::size_t at, std::string_view name) {
        const std::string kind(kind_of_fixed(name));
        if (!take("(")) {
            refuse(at, "expected the name of a " + kind + ", as in " + std::string(name) + "('name')");
        }
        const auto [quote, object] = quoted(name, kind);
        const std::vector<double> values = fixed_values(name, object, model_);
        if (values.empty()) {
            refuse(quote, "the model has no " + kind + " '" + object + "'");
        }
        const Slot out = slot(values.size());
        std::ranges::copy(values, program_.registers.begin() + out.at);
        return out;
    }
    // A name in quotes and the closing parenthesis: where it begins, and the name.
    std::pair<std::size_t, std::string> quoted(std::string_view array, const std::string& kind) {
        skip_blanks();
        const std::size_t quote = at_;
        const char mark = at_ < text_.size() ? text_[at_] : ' ';
        const std::size_t end = mark == '\'' || mark == '"' ? text_.find(mark, at_ + 1) : std::string_view::npos;
        if (end == std::string_view::npos) {
            refuse(quote, "expected the name of a " + kind + " in quotes, as in " + std::string(array) + "('name')");
        }
        const std::string object(text_.substr(at_ + 1, end - at_ - 1));
        at_ = end + 1;
        expect(")");
        return {quote, object};
    }

    Slot call(std::size_t at, std::string_view name) {
        const std::vector<Slot> given = arguments(")");
        const auto takes = [&](std::size_t count) {
            if (given.size() != count) {
                refuse(at, std::string(name) + " takes " + std::to_string(count) + (count == 1 ? " value" : " values") +
                               ", and has " + std::to_string(given.size()));
            }
        };
        if (name == "before") {
            takes(1);
            const Slot kept = slot(given[0].size);
            program_.afterwards.push_back({.op = Op::kCopy, .out = kept, .a = given[0]});
            return kept;
        }
        if (name == "dot") {
            takes(2);
            if (given[0].size != given[1].size) {
                refuse(at, "dot takes two lists of the same length");
            }
            return emit({.op = Op::kDot, .a = given[0], .b = given[1]}, 1);
        }
        if (name == "clip") {
            takes(3);
            const Slot low = binary(given[0], given[1], at, find_binary("max"));
            return binary(low, given[2], at, find_binary("min"));
        }
        if (name == "if") {
            takes(3);
            const Slot both = {0, static_cast<std::uint32_t>(common(given[1], given[2], at))};
            return emit({.op = Op::kChoose, .a = given[0], .b = given[1], .c = given[2]}, common(given[0], both, at));
        }
        if (name.starts_with("tolerance")) {
            return tolerance_of(at, name, given);
        }
        if (const auto function = find_binary(name); function != nullptr && given.size() == 2) {
            return binary(given[0], given[1], at, function);
        }
        if (const auto function = find_reduction(name); function != nullptr) {
            takes(1);
            return emit({.op = Op::kReduce, .a = given[0], .reduce = function}, 1);
        }
        if (const auto function = find_unary(name); function != nullptr) {
            takes(1);
            return emit({.op = Op::kUnary, .a = given[0], .unary = function}, given[0].size);
        }
        if (find_binary(name) != nullptr) {
            takes(2);
        }
        refuse_function(at, name);
    }

    // tolerance(x, lower, upper, margin), and with the value at the margin tolerance_linear and its like.
    Slot tolerance_of(std::size_t at, std::string_view name, std::vector<Slot> given) {
        Instruction instruction = {.op = Op::kTolerance};
        if (name == "tolerance_linear" || name == "tolerance_quadratic" || name == "tolerance_long_tail") {
            instruction.fall = name == "tolerance_linear"      ? Fall::kLinear
                               : name == "tolerance_quadratic" ? Fall::kQuadratic
                                                               : Fall::kLongTail;
        } else if (name != "tolerance") {
            refuse_function(at, name);
        } else if (given.size() == 4) {
            given.push_back(constant(0.1));
        }
        if (given.size() != 5) {
            refuse(at, std::string(name) + " takes a value, its lower and upper bound, the margin and the value there" +
                           (name == "tolerance" ? " (0.1 if it is left out)" : ""));
        }
        for (std::size_t i = 1; i < given.size(); ++i) {
            if (given[i].size != 1) {
                refuse(at, "the bounds and the margin of " + std::string(name) + " are numbers");
            }
        }
        instruction.a = given[0];
        instruction.b = given[1];
        instruction.c = given[2];
        instruction.d = given[3];
        instruction.e = given[4];
        return emit(instruction, given[0].size);
    }
    [[noreturn]] void refuse_function(std::size_t at, std::string_view name) const {
        refuse(at, "there is no function '" + std::string(name) + "'" + suggestion(name, all_words()));
    }

    std::string_view text_;
    const std::string& option_;
    const mjModel& model_;
    double dt_;
    Program& program_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

}  // namespace

Slot compile(std::string_view text, const std::string& option, const mjModel& model, double dt, Program& program) {
    return Compiler(text, option, model, dt, program).run();
}

}  // namespace physics
