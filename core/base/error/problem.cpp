// SPDX-License-Identifier: Apache-2.0
#include "base/error/problem.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <utility>

#include "base/error/printable.hpp"
#include "base/error/result.hpp"

namespace tenon {
namespace {

Problem make(Fault fault, std::string sentence, Place place, std::string help) {
    return Problem{.fault = fault,
                   .sentence = std::move(sentence),
                   .place = std::move(place),
                   .help = std::move(help),
                   .also = {}};
}

// Damerau-Levenshtein in its optimal string alignment form: swapped neighbours are the commonest slip of the fingers.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> now(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) {
        last[j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        now[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            now[j] = std::min({last[j] + 1, now[j - 1] + 1, change});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                now[j] = std::min(now[j], before[j - 2] + 1);
            }
        }
        std::swap(before, last);
        std::swap(last, now);
    }
    return last[b.size()];
}

void render_place(std::string& out, const Place& place) {
    if (place.file.empty()) {
        return;
    }
    out += "\n --> " + place.file;
    const std::string number = std::to_string(place.line);
    if (place.line != 0) {
        out += ":" + number + ":" + std::to_string(place.column);
    }
    if (!place.label.empty()) {
        out += ": " + place.label;
    }
    if (place.line == 0) {
        return;
    }
    if (place.excerpt.empty()) {
        return;
    }
    const std::string margin(number.size(), ' ');
    const std::size_t column = std::max<std::size_t>(place.column, 1) - 1;
    out += "\n" + margin + " |\n" + number + " | " + place.excerpt + "\n" + margin + " | ";
    for (std::size_t i = 0; i < column && i < place.excerpt.size(); ++i) {
        out += place.excerpt[i] == '\t' ? '\t' : ' ';  // a tab in the line is a tab above the caret
    }
    out += std::string(std::max<std::size_t>(place.length, 1), '^');
}

std::string lower_case(std::string_view word) {
    std::string out(word);
    std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

// A candidate that differs only in upper and lower case.
std::string_view only_in_other_case(std::string_view word, const std::vector<std::string_view>& candidates) {
    const auto same = [lower = lower_case(word)](std::string_view each) { return lower_case(each) == lower; };
    const auto first = std::ranges::find_if(candidates, same);
    return first != candidates.end() ? *first : std::string_view();
}

// The candidate that the word ends, if its group was left out: "mean_reward" for "eval/mean_reward".
std::string_view only_ending_with(std::string_view word, const std::vector<std::string_view>& candidates) {
    const auto ends = [end = "/" + std::string(word)](std::string_view each) { return each.ends_with(end); };
    const auto first = std::ranges::find_if(candidates, ends);
    const bool only = first != candidates.end() && std::none_of(first + 1, candidates.end(), ends);
    return only ? *first : std::string_view();
}

// The candidate that the word begins, if its end was left out.
std::string_view only_beginning_with(std::string_view word, const std::vector<std::string_view>& candidates) {
    constexpr std::size_t kEnough = 4;
    const auto begins = [&](std::string_view candidate) { return candidate.starts_with(word); };
    const auto first = std::ranges::find_if(candidates, begins);
    const bool only = first != candidates.end() && std::none_of(first + 1, candidates.end(), begins);
    return only && word.size() >= kEnough ? *first : std::string_view();
}

// A short word with another first letter is another word: "gpu" is no slip for "cpu".
bool is_other_short_word(std::string_view word, std::string_view candidate) {
    constexpr std::size_t kShort = 3;
    return !word.empty() && word.size() <= kShort && word.size() == candidate.size() &&
           word.substr(1) == candidate.substr(1);
}

}  // namespace

BoxedProblem::BoxedProblem(const Problem& problem) : problem_(new Problem(problem)) {}
BoxedProblem::BoxedProblem(Problem&& problem) : problem_(new Problem(std::move(problem))) {}
BoxedProblem::BoxedProblem(const BoxedProblem& other) : problem_(other ? new Problem(*other) : nullptr) {}

void BoxedProblem::destroy() const {
    delete problem_;
}

Problem input_problem(std::string sentence, Place place, std::string help) {
    return make(Fault::kInput, std::move(sentence), std::move(place), std::move(help));
}

Problem plugin_problem(std::string sentence, Place place, std::string help) {
    return make(Fault::kPlugin, std::move(sentence), std::move(place), std::move(help));
}

Problem environment_problem(std::string sentence, Place place, std::string help) {
    return make(Fault::kEnvironment, std::move(sentence), std::move(place), std::move(help));
}

std::string render(const Problem& problem) {
    return "error: " + render_unlabelled(problem);
}

std::string render_unlabelled(const Problem& problem) {
    std::string out = problem.sentence;
    render_place(out, problem.place);
    for (const Place& place : problem.also) {
        render_place(out, place);
    }
    if (!problem.help.empty()) {
        out += "\nhelp: " + problem.help;
    }
    return printable(out);
}

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
    for (const auto kin : {only_in_other_case, only_ending_with}) {
        if (const std::string_view found = kin(word, candidates); !found.empty()) {
            return found;
        }
    }
    std::string_view best;
    std::size_t best_distance = std::max<std::size_t>(word.size() / 3, 1) + 1;
    for (const std::string_view candidate : candidates) {
        const std::size_t d = distance(word, candidate);
        if (d < best_distance && !is_other_short_word(word, candidate)) {
            best_distance = d;
            best = candidate;
        }
    }
    return best.empty() ? only_beginning_with(word, candidates) : best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates) {
    const std::string_view best = nearest(word, candidates);
    return best.empty() ? std::string{} : "; did you mean '" + std::string(best) + "'?";
}

}  // namespace tenon
