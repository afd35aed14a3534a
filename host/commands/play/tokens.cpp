// SPDX-License-Identifier: Apache-2.0
#include "commands/play/tokens.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/data/dtype.hpp"
#include "base/data/spec.hpp"
#include "base/data/text.hpp"
#include "base/error/printable.hpp"
#include "base/error/problem.hpp"
#include "base/file/read.hpp"
#include "experience/replay/storage.hpp"
#include "run/sessions/screen.hpp"

namespace tenon {
namespace {

constexpr std::uint64_t kLargestTable = std::uint64_t{64} << 20U;

bool is_tokens(const Spec& spec) {
    return spec.kind == SpecKind::kMultiCategorical && (spec.role == Role::kObservation || spec.role == Role::kAction);
}

std::vector<double> numbers_at(const Spec& spec, const Storage& storage, std::uint32_t slot) {
    std::vector<double> out(static_cast<std::size_t>(spec.shape.elements()));
    const auto* const row = static_cast<const std::byte*>(row_at(storage.find(spec.key)->view, slot, 0));
    with_element(spec.dtype, [&]<class T>(T value) {
        for (std::size_t i = 0; i < out.size(); ++i) {
            std::memcpy(&value, row + i * sizeof value, sizeof value);
            out[i] = static_cast<double>(value);
        }
    });
    return out;
}

// The rewards of an action: those of its group or, if the group has none, that of the lane.
std::vector<double> rewards_of(const Spec& action, std::size_t rows, const Composite& specs, const Storage& storage,
                               std::uint32_t slot) {
    for (const std::string& group : {action.group, std::string()}) {
        for (const Spec& spec : specs.specs) {
            if (spec.role == Role::kReward && spec.group == group) {
                std::vector<double> out = numbers_at(spec, storage, slot);
                return out.size() == rows ? out : std::vector(rows, out.front());
            }
        }
    }
    return {};
}

// The tokens of a text, without its padding.
std::vector<std::int64_t> tokens_of(const std::vector<std::int64_t>& row, const Spec& spec, std::int64_t length) {
    const std::ptrdiff_t unused = std::ssize(row) - std::clamp<std::ptrdiff_t>(length, 0, std::ssize(row));
    const bool last = (spec.flags & TN_SPEC_TEXT_LAST) != 0;
    return {row.begin() + (last ? unused : 0), row.end() - (last ? 0 : unused)};
}

TokenRows rows_at(const Spec& spec, const Composite& specs, const Storage& storage, std::uint32_t slot) {
    TokenRows out{.key = spec.key, .of_group = !spec.group.empty()};
    const std::vector<double> all = numbers_at(spec, storage, slot);
    const auto size = static_cast<std::size_t>(spec.shape[spec.shape.rank - 1]);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (i % size == 0) {
            out.rows.emplace_back();
        }
        out.rows.back().push_back(static_cast<std::int64_t>(all[i]));
    }
    if (spec.is_text()) {
        const std::vector<double> lengths = numbers_at(*specs.find(length_key(spec)), storage, slot);
        for (std::size_t i = 0; i < out.rows.size(); ++i) {
            out.rows[i] = tokens_of(out.rows[i], spec, static_cast<std::int64_t>(lengths[i]));
        }
    }
    if (spec.role == Role::kAction) {
        out.rewards = rewards_of(spec, out.rows.size(), specs, storage, slot);
    }
    return out;
}

// Observations, then actions.
TokenStep step_at(const Composite& specs, const Storage& storage, std::uint32_t slot) {
    TokenStep out;
    for (const Role role : {Role::kObservation, Role::kAction}) {
        for (const Spec& spec : specs.specs) {
            if (spec.role == role && is_tokens(spec)) {
                out.push_back(rows_at(spec, specs, storage, slot));
            }
        }
    }
    return out;
}

std::string row_text(const std::vector<std::int64_t>& tokens, const std::vector<std::string>& names) {
    std::string out;
    for (const std::int64_t token : tokens) {
        if (names.empty()) {
            out += (out.empty() ? "" : " ") + std::to_string(token);
        } else {
            const auto at = static_cast<std::size_t>(token);
            out += at < names.size() ? names[at] : "<" + std::to_string(token) + ">";
        }
    }
    return printable(out);
}

}  // namespace

Result<std::vector<std::string>> read_token_names(const std::filesystem::path& file) {
    if (file == "bytes") {
        std::vector<std::string> bytes(257);
        for (std::size_t i = 0; i < 256; ++i) {
            bytes[i] = std::string(1, static_cast<char>(static_cast<unsigned char>(i)));
        }
        return bytes;
    }
    const std::string text = TENON_TRY(read_file(file, Largest{.bytes = kLargestTable, .kind = "file of tokens"}));
    std::vector<std::string> out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        out.push_back(std::move(line));
    }
    if (out.empty()) {
        return input_problem(file.string() + " names no tokens: it has a line for each token");
    }
    return out;
}

std::string token_text(const TokenStep& step, const std::vector<std::string>& names) {
    std::size_t width = 0;
    for (const TokenRows& column : step) {
        width = std::max(width, column.key.size());
    }
    std::ostringstream out;
    out.precision(3);
    for (const TokenRows& column : step) {
        for (std::size_t i = 0; i < column.rows.size(); ++i) {
            out << column.key << std::string(width - column.key.size() + 2, ' ') << row_text(column.rows[i], names);
            if (i < column.rewards.size()) {
                out << "  reward " << column.rewards[i];
            }
            out << '\n';
        }
    }
    return out.str();
}

void put_step(JsonWriter& json, const TokenStep& step) {
    const auto put_list = [&](const TokenRows& column, std::size_t count, const auto& put) {
        if (column.of_group) {
            json.begin_array();
        }
        for (std::size_t i = 0; i < count; ++i) {
            put(i);
        }
        if (column.of_group) {
            json.end_array();
        }
    };
    json.begin_object();
    for (const TokenRows& column : step) {
        json.key(column.key);
        put_list(column, column.rows.size(), [&](std::size_t i) {
            json.begin_array();
            for (const std::int64_t token : column.rows[i]) {
                json.integer(token);
            }
            json.end_array();
        });
        if (!column.rewards.empty()) {
            json.key("reward");
            put_list(column, column.rewards.size(), [&](std::size_t i) { json.number(column.rewards[i]); });
        }
    }
    json.end_object();
}

namespace {

// The step that is being computed, with the tokens of its answer so far.
class GrowingAnswer {
public:
    GrowingAnswer(Evaluator& evaluator, const std::function<void(const TokenStep&)>& seen)
        : evaluator_(evaluator), seen_(seen) {
        evaluator_.watch(&watch_);
    }
    GrowingAnswer(const GrowingAnswer&) = delete;
    GrowingAnswer& operator=(const GrowingAnswer&) = delete;
    ~GrowingAnswer() { evaluator_.watch(nullptr); }

private:
    void add(std::string_view loop, std::int64_t step, double token) {
        if (step == 0) {
            step_ = step_at(evaluator_.lanes().specs(), evaluator_.storage(), evaluator_.storage().head());
        }
        if (step_.empty() || step_.back().key != loop || step_.back().of_group) {
            return;
        }
        TokenRows& answer = step_.back();
        if (step == 0) {
            answer.rows.front().clear();
            answer.rewards.clear();
        }
        answer.rows.front().push_back(static_cast<std::int64_t>(token));
        seen_(step_);
    }

    Evaluator& evaluator_;
    const std::function<void(const TokenStep&)>& seen_;
    TokenStep step_;
    Watch watch_{[this](std::string_view loop, std::int64_t step, std::span<const double> rows) {
        add(loop, step, rows.front());
    }};
};

}  // namespace

Result<std::optional<Score>> play_tokens(Evaluator& evaluator, const RunNumbers& numbers, std::int64_t episodes,
                                         const std::function<void(const TokenStep&)>& shown,
                                         const std::function<void(const TokenStep&)>& growing, StopAsked stop) {
    const Composite& specs = evaluator.lanes().specs();
    if (std::ranges::none_of(specs.specs,
                             [](const Spec& spec) { return is_tokens(spec) && spec.role == Role::kAction; })) {
        return input_problem(evaluator.lanes().name() + " has no action that is a row of tokens", {},
                             "--video or --watch shows pictures");
    }
    const Storage& storage = evaluator.storage();
    const GrowingAnswer answer(evaluator, growing);
    // The first call is after the reset. Each further one completes the transition that began at `slot`, the last one
    // before the storage's head advances.
    std::optional<std::uint32_t> slot;
    const auto seen = [&](const Lanes&) -> Status {
        if (slot) {
            shown(step_at(specs, storage, *slot));
        }
        slot = slot == storage.head() ? std::nullopt : std::optional(storage.head());
        return {};
    };
    const auto ended = [&] {
        if (slot && *slot != storage.head()) {  // the env has begun the next episode itself
            shown(step_at(specs, storage, *slot));
        }
        slot.reset();
    };
    return play_in_turn(evaluator, numbers, episodes, seen, stop, ended);
}

}  // namespace tenon
