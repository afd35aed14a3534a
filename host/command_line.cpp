// SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include <algorithm>
#include <boost/program_options/errors.hpp>
#include <boost/program_options/parsers.hpp>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <system_error>
#include <utility>

#include "base/data/mapped.hpp"
#include "base/error/problem.hpp"
#include "report.hpp"

namespace tenon::host {
namespace {

namespace po = boost::program_options;

// "; did you mean '--set' or '--seed'?": up to two, without the value that was given by "=".
std::string nearest_option(const po::options_description& options, std::string given) {
    given = "--" + given.substr(std::min(given.find_first_not_of('-'), given.size()));
    const auto names =
        mapped<std::string>(options.options(), [](const auto& each) { return "--" + each->long_name(); });
    std::vector<std::string_view> others(names.begin(), names.end());
    given.erase(std::min(given.find('='), given.size()));
    const std::string_view first = nearest(given, others);
    std::erase(others, first);
    const std::string_view second = first.empty() ? first : nearest(given, others);
    return first.empty() ? ""
                         : "; did you mean '" + std::string(first) +
                               (second.empty() ? "'?" : "' or '" + std::string(second) + "'?");
}

// A suggestion for an option that takes one value, if another option takes several: "; did you mean --seeds?".
std::string plural(const po::options_description& options, const std::string& name) {
    return options.find_nothrow(name + "s", false) != nullptr ? "; did you mean --" + name + "s?" : "";
}

// "--set needs a value: --set KEY=VALUE"
std::string wanted(const po::options_description& options, const std::string& name) {
    const auto* option = options.find_nothrow(name.substr(name.find_first_not_of('-')), false);
    const std::string value = option == nullptr ? "" : option->format_parameter();
    return name + " needs a value" + (value.empty() ? "" : ": " + name + " " + value);
}

template <class Number>
std::errc read_whole(const std::string& text) {
    const char* const end = text.data() + text.size();
    Number number = 0;
    const auto [stop, error] = std::from_chars(text.data() + (text.starts_with('+') ? 1 : 0), end, number);
    return stop == end ? error : std::errc::invalid_argument;
}

// What is wrong with the value of an option that expects a number; empty if nothing is, or for other options.
std::string no_number(const po::options_description& options, const po::option& given) {
    const auto* option = options.find_nothrow(given.string_key, false);
    if (option == nullptr || given.value.size() != 1) {
        return {};
    }
    const po::value_semantic* const semantic = option->semantic().get();
    const std::string& text = given.value.front();
    const std::string name = "--" + given.string_key;
    if (dynamic_cast<const po::typed_value<double>*>(semantic) != nullptr) {
        return read_whole<double>(text) == std::errc{} ? "" : name + " needs a number, not '" + text + "'";
    }
    if (dynamic_cast<const po::typed_value<std::int64_t>*>(semantic) == nullptr) {
        return {};
    }
    const std::errc error = read_whole<std::int64_t>(text);
    if (error == std::errc::result_out_of_range) {
        return name + " needs a 64-bit integer, but " + text + " does not fit";
    }
    return error == std::errc{} ? ""
                                : name + " needs an integer, not '" + text + "'" + plural(options, given.string_key);
}

}  // namespace

po::value_semantic* text_value(const char* name) {
    return po::value<std::string>()->value_name(name);
}

po::value_semantic* integer_value(const char* name) {
    return po::value<std::int64_t>()->value_name(name);
}

po::value_semantic* number_value(const char* name) {
    return po::value<double>()->value_name(name);
}

CommandLine::CommandLine(std::string usage, std::string about)
    : CommandLine(std::move(usage), [text = std::move(about)] { return text; }) {}

CommandLine::CommandLine(std::string usage, std::function<std::string()> about)
    : usage_(std::move(usage)), about_(std::move(about)) {
    options()("help,h", "print this help");
}

void CommandLine::positional(const char* name, int count) {
    hidden_.add_options()(name, po::value<std::vector<std::string>>());
    positional_.add(name, -1);  // refuse() names the words that are too many
    words_ = name;
    most_words_ = count;
}

std::optional<int> CommandLine::parse(const Arguments& arguments) {
    if (arguments.size() == 1 && arguments.front() == kListOptions) {
        list_options();
        return kSuccess;
    }
    po::options_description all;
    all.add(visible_).add(hidden_);
    // Without abbreviations, because every new option could otherwise break somebody's script.
    const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    try {
        const auto parsed = po::command_line_parser(arguments).options(all).positional(positional_).style(style).run();
        for (const auto& option : parsed.options) {
            // An option's name in place of a value: the value was probably forgotten, unless it follows "=".
            if (option.position_key < 0 && option.original_tokens.size() > 1 &&
                option.original_tokens.back().starts_with("--")) {
                return refuse(wanted(visible_, "--" + option.string_key) + ", not " + option.original_tokens.back());
            }
            if (const std::string wrong = no_number(visible_, option); !wrong.empty()) {
                return refuse(wrong);
            }
        }
        po::store(parsed, values_);
        if (has("help")) {
            std::cout << "Usage: " << usage_ << "\n\n" << about_() << "\n\n" << visible_;
            return kSuccess;
        }
        po::notify(values_);
        if (const std::string word = surplus_word(); !word.empty()) {
            const bool takes_values = visible_.find_nothrow("set", false) != nullptr;
            const bool is_value = takes_values && word.find('=') != std::string::npos;
            return refuse("there are too many arguments: '" + word + "'",
                          is_value ? "a value of the manifest is given without blanks, --set KEY=VALUE\n" : "");
        }
    } catch (const po::unknown_option& error) {
        const std::string name = error.get_option_name();
        const std::string near = nearest_option(visible_, name);
        const bool may_be_key = near.empty() && visible_.find_nothrow("set", false) != nullptr;
        return refuse(
            "there is no option '" + name + "'" + near,
            may_be_key ? "keys of the manifest are given with --set, such as --set run.total_frames=10_000\n" : "");
    } catch (const po::too_many_positional_options_error&) {
        return refuse("there are too many arguments");  // of a command that takes none
    } catch (const po::invalid_command_line_syntax& error) {
        using Syntax = po::invalid_command_line_syntax;
        const bool is_missing =
            error.kind() == Syntax::missing_parameter || error.kind() == Syntax::empty_adjacent_parameter;
        return refuse(is_missing ? wanted(visible_, error.get_option_name()) : error.what());
    } catch (const po::error& error) {
        return refuse(error.what());
    }
    return std::nullopt;
}

std::string CommandLine::text(const char* name) const {
    return has(name) ? get<std::string>(name) : std::string();
}

std::optional<std::int64_t> CommandLine::integer(const char* name) const {
    return has(name) ? std::optional(get<std::int64_t>(name)) : std::nullopt;
}

std::optional<double> CommandLine::number(const char* name) const {
    return has(name) ? std::optional(get<double>(name)) : std::nullopt;
}

std::vector<std::string> CommandLine::texts(const char* name) const {
    return has(name) ? get<std::vector<std::string>>(name) : std::vector<std::string>();
}

void CommandLine::list_options() const {
    for (const auto& option : visible_.options()) {
        const bool has_value = option->semantic()->max_tokens() != 0;
        std::string help = option->description();
        std::ranges::replace(help, '\n', ' ');
        std::cout << "--" << option->long_name() << '\t' << (has_value ? "value" : "flag") << '\t' << help << '\n';
    }
}

// The first word without a dash that is one too many; empty if there is none.
std::string CommandLine::surplus_word() const {
    const std::vector<std::string> words = most_words_ > 0 ? texts(words_.c_str()) : std::vector<std::string>();
    const auto most = static_cast<std::size_t>(most_words_);
    return words.size() > most ? words[most] : "";
}

int CommandLine::refuse(const std::string& sentence, const std::string& help) const {
    return report(input_problem(sentence, {}, help + "usage: " + usage_));
}

}  // namespace tenon::host
