// SPDX-License-Identifier: Apache-2.0
// The options of one command, based on Boost.Program_options: help, and error messages with the nearest valid name.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/positional_options.hpp>
#include <boost/program_options/value_semantic.hpp>
#include <boost/program_options/variables_map.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"

namespace tenon::host {

// Option values, with their name in the help text.
boost::program_options::value_semantic* text_value(const char* name);
boost::program_options::value_semantic* integer_value(const char* name);
boost::program_options::value_semantic* number_value(const char* name);

// If it is a command's only word, the command prints a line for each option, "--out", "value" or "flag", and its help,
// separated by tabs. `tenon completion` asks for it.
inline constexpr std::string_view kListOptions = "--list-options-for-completion";

class CommandLine {
public:
    // usage: "tenon list [options]"; about: what the command does, in a sentence or a paragraph.
    CommandLine(std::string usage, std::string about);
    // The same for a text that takes time to make: only --help asks for it.
    CommandLine(std::string usage, std::function<std::string()> about);

    // Adds options: options()("json", "one JSON object a line").
    boost::program_options::options_description_easy_init options() { return visible_.add_options(); }

    // Words without a dash, at most `count` of them; -1: any number. Called at most once.
    void positional(const char* name, int count);

    // The exit code if there is nothing left to do: help was requested, or the arguments are invalid.
    std::optional<int> parse(const Arguments& arguments);

    [[nodiscard]] bool has(const char* name) const { return values_.count(name) != 0; }

    template <class T>
    [[nodiscard]] const T& get(const char* name) const {
        return values_[name].as<T>();
    }

    // The value of an option made with text_value; empty if it was not given.
    [[nodiscard]] std::string text(const char* name) const;
    // The value of an option made with integer_value.
    [[nodiscard]] std::optional<std::int64_t> integer(const char* name) const;
    // The value of an option made with number_value.
    [[nodiscard]] std::optional<double> number(const char* name) const;

    // The values of a repeatable option or positional; empty if it was not given.
    [[nodiscard]] std::vector<std::string> texts(const char* name) const;

private:
    void list_options() const;
    [[nodiscard]] std::string surplus_word() const;
    int refuse(const std::string& sentence, const std::string& help = {}) const;

    std::string usage_;
    std::function<std::string()> about_;
    boost::program_options::options_description visible_{"Options"};
    boost::program_options::options_description hidden_;
    boost::program_options::positional_options_description positional_;
    std::string words_;  // the name of the words without a dash
    int most_words_ = 0;
    boost::program_options::variables_map values_;
};

}  // namespace tenon::host
