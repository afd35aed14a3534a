// SPDX-License-Identifier: Apache-2.0
// What went wrong, whose fault it is, where, and what to do: the one currency of errors in the host.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

// The numbers are the program's exit codes.
enum class Fault : int {
    kInput = 2,        // the user's input is wrong: manifest, option, path, resume
    kPlugin = 3,       // a plugin cannot be loaded or failed
    kEnvironment = 4,  // the run's surroundings failed: disk, memory, device
};

// A spot in something the user wrote. Lines and columns count from 1; line 0: the file as a whole; empty file: no
// place.
struct Place {
    std::string file;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    std::uint32_t length = 1;  // characters to underline
    std::string excerpt;       // the text of the line, kept because the file may change or never have been one
    std::string label = {};    // what stands there, where a problem has several places: "b, real [B, 1]"
};

struct Problem {
    Fault fault = Fault::kInput;
    std::string sentence;
    Place place;
    std::string help;         // what to do, where the sentence does not say it already
    std::vector<Place> also;  // other places that belong to it, the other operand for example
    // The path of a key of the manifest, if the sentence says only that there is no such key.
    std::string unknown_key = {};
};

using Problems = std::vector<Problem>;

Problem input_problem(std::string sentence, Place place = {}, std::string help = {});
Problem plugin_problem(std::string sentence, Place place = {}, std::string help = {});
Problem environment_problem(std::string sentence, Place place = {}, std::string help = {});

// As a person reads it, in the manner of cargo: "error: SENTENCE", " --> file:line:column", the line and a caret under
// it. It may quote files and plugins: what a terminal would obey is escaped (printable.hpp).
std::string render(const Problem& problem);
// The same without "error: ", for what is no more than a warning.
std::string render_unlabelled(const Problem& problem);

// The candidate that `word` was probably meant to be, or an empty view if none is close.
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates);

// "; did you mean 'X'?" or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace tenon
