// SPDX-License-Identifier: Apache-2.0
// The options of one command, on top of Boost.Program_options: help, and sentences with the nearest valid name.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/positional_options.hpp>
#include <boost/program_options/value_semantic.hpp>
#include <boost/program_options/variables_map.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"

namespace tenon::host {

// The values of options, with the name that the help calls them by.
boost::program_options::value_semantic* text_value(const char* name);
boost::program_options::value_semantic* integer_value(const char* name);

class CommandLine {
public:
    // usage: "tenon list [options]"; about: what the command does, a sentence or a paragraph.
    CommandLine(std::string usage, std::string about);

    // Adds options: options()("json", "one JSON object a line").
    boost::program_options::options_description_easy_init options() { return visible_.add_options(); }

    // Words without a dash, in the order of the calls; -1: all that are left.
    void positional(const char* name, int count);

    // The exit code where the command has nothing left to do: help was asked for, or the words make no sense.
    std::optional<int> parse(const Arguments& arguments);

    [[nodiscard]] bool has(const char* name) const { return values_.count(name) != 0; }

    template <class T>
    [[nodiscard]] const T& get(const char* name) const {
        return values_[name].as<T>();
    }

    // What was given for an option made with text_value; empty if nothing was.
    [[nodiscard]] std::string text(const char* name) const;
    // What was given for an option made with integer_value.
    [[nodiscard]] std::optional<std::int64_t> integer(const char* name) const;

    // What was given for a repeatable option or positional; empty if nothing was.
    [[nodiscard]] std::vector<std::string> texts(const char* name) const;

private:
    int refuse(const std::string& sentence) const;

    std::string usage_;
    std::string about_;
    boost::program_options::options_description visible_{"Options"};
    boost::program_options::options_description hidden_;
    boost::program_options::positional_options_description positional_;
    boost::program_options::variables_map values_;
};

}  // namespace tenon::host
