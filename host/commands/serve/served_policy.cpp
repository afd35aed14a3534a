// SPDX-License-Identifier: Apache-2.0
#include "commands/serve/served_policy.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/json/write.hpp"
#include "commands/serve/column_text.hpp"
#include "run/drive/policy_chain.hpp"
#include "shared/history/run_info.hpp"
#include "shared/http/message.hpp"

namespace tenon {
namespace {

// Products of up to three rows are added in another order (docs/numerics.md). With at least four rows, or padding to
// four, an answer does not depend on how many clients ask at the same time.
constexpr std::uint32_t kFewest = 4;

// A program is compiled for each of these sizes.
std::uint32_t padded(std::uint32_t rows, std::uint32_t most) {
    return std::min(std::max(kFewest, std::bit_ceil(rows)), std::max(most, kFewest));
}

std::string element_text(const Spec& spec, double value) {
    std::string out;
    JsonWriter json(out);
    if (is_float(spec.dtype)) {
        json.number(value);
    } else {
        json.integer(static_cast<std::int64_t>(value));
    }
    return out;
}

// The actions that evaluations of the run use, if the request does not choose.
std::string usual_actions(const ScoringRequest& request) {
    if (request.actions) {
        return *request.actions;
    }
    const Result<RunInfo> info = read_run_info(request.folder);
    const std::string actions = info ? plain_value(info->values, "eval.actions") : "";
    return actions.empty() ? "mode" : actions;
}

}  // namespace

std::unique_ptr<ServedPolicy> ServedPolicy::open(const ScoringRequest& request, std::uint32_t seats, std::uint32_t rows,
                                                 const Notice& notice, Problems& problems) {
    const std::string usual = usual_actions(request);
    ScoringRequest opened = request;
    opened.actions = usual == "mean" ? "mean" : "sample";  // every policy has a mode
    std::unique_ptr<ServedPolicy> out(new ServedPolicy);
    out->policy_ = open_standing_policy(opened, "served", notice, problems);
    if (!out->policy_) {
        return nullptr;
    }
    out->columns_.usually_samples = usual == "sample";
    if (Status made = out->make(seats, std::max(rows, kFewest), usual == "mean"); !made) {
        problems.push_back(std::move(made).error());
        return nullptr;
    }
    return out;
}

Status ServedPolicy::make(std::uint32_t seats, std::uint32_t rows, bool means) {
    const Wiring& wiring = policy_->wiring();
    seats_ = seats;
    storage_.emplace(TENON_TRY(Storage::make(storage_columns(wiring.env_specs), 2, rows)));
    chain_ = TENON_TRY(chain_of(*policy_, seats + rows, "serve/"));
    Status made = make_actor(means ? wiring.evaluating() : wiring.mode, best_);
    if (made && !means) {
        made = make_actor(wiring.evaluating(), drawn_);
    }
    if (!made) {
        return made;
    }
    columns_.samples = drawn_.has_value() && drawn_->actor.memories().is_like(best_->actor.memories());
    nothing_.resize(best_->actor.memories().lane_bytes());
    memories_.resize(nothing_.size() * seats);
    name_columns();
    warm_up();
    return {};
}

Status ServedPolicy::make_actor(const BuiltProgram& program, std::optional<ActingBy>& out) {
    Actor actor = TENON_TRY(Actor::make(program, policy_->seed, *policy_->executor, *policy_->learner, *storage_,
                                        policy_->wiring().env_specs));
    out.emplace(ActingBy{std::move(actor)});
    return {};
}

bool ServedPolicy::reads(const std::string& key) const {
    const auto is_read = [&](const BuiltProgram& program) {
        return std::ranges::find(program.inputs, key, &Port::key) != program.inputs.end();
    };
    return is_read(policy_->wiring().mode) || is_read(policy_->wiring().evaluating());
}

void ServedPolicy::name_columns() {
    const Composite& outer = policy_->wiring().env_specs;
    const Composite& inner = chain_ ? chain_->inner() : outer;
    for (const Spec& spec : inner.specs) {
        if (spec.role == Role::kAction) {
            columns_.outputs.push_back(spec);
        } else if (!is_outcome(spec.role)) {
            columns_.inputs.push_back(spec);
            columns_.needed.push_back(chain_.has_value() || reads(spec.key));
        }
    }
    for (const Spec& spec : outer.specs) {
        if (spec.role != Role::kAction && !is_outcome(spec.role) && reads(spec.key)) {
            const auto input = std::ranges::find(columns_.inputs, spec.key, &Spec::key) - columns_.inputs.begin();
            reads_.push_back({.key = spec.key,
                              .view = storage_->find(spec.key)->view,
                              .bytes = row_bytes(spec),
                              .input = static_cast<std::size_t>(input)});
        }
    }
}

bool ServedPolicy::remembers() const {
    return chain_.has_value() || !nothing_.empty();
}

// Compiles the program before the first request. The policy may be unable to answer zeros; this is ignored.
void ServedPolicy::warm_up() {
    for (std::optional<ActingBy>* by : {&best_, &drawn_}) {
        for (std::uint32_t rows = kFewest; by->has_value(); rows *= 2) {
            const std::uint32_t lanes = padded(rows, storage_->lanes());
            static_cast<void>((*by)->actor.act(*storage_, policy_->numbers, 0, lanes));
            if (lanes == storage_->lanes()) {
                break;
            }
        }
    }
}

// Rows without a seat use one after the clients' seats.
std::uint32_t ServedPolicy::chain_seat(const ServedRow& row, std::size_t at) const {
    return row.seat.value_or(seats_ + static_cast<std::uint32_t>(at));
}

void ServedPolicy::observe(ServedRow& row, std::uint32_t seat) {
    std::vector<std::string_view> keys;
    std::vector<const std::byte*> from;
    for (std::size_t i = 0; i < columns_.inputs.size(); ++i) {
        keys.emplace_back(columns_.inputs[i].key);
        from.push_back(row.request->columns[i].data() + row.row * row_bytes(columns_.inputs[i]));
    }
    begun_ += row.first ? 1 : 0;
    if (Status observed = chain_->observe(seat, row.first, policy_->seed + begun_, keys, from); !observed) {
        row.fault = observed.error().sentence;
    }
}

void ServedPolicy::put(const ServedRow& row, std::uint32_t seat, std::uint32_t lane, ActingBy& by) {
    const std::uint32_t slot = storage_->head();
    for (const Read& read : reads_) {
        const std::byte* const from =
            chain_ ? chain_->outer_row(read.key, seat) : row.request->columns[read.input].data() + row.row * read.bytes;
        std::memcpy(row_at(read.view, slot, lane), from, read.bytes);
    }
    *static_cast<std::uint8_t*>(row_at(storage_->find("is_init")->view, slot, lane)) = row.first ? 1 : 0;
    const bool remembered = row.seat.has_value() && !row.first;
    by.actor.memories().write_lane(lane, remembered ? memories_.data() + *row.seat * nothing_.size() : nothing_.data());
}

Status ServedPolicy::take(const ServedRow& row, std::uint32_t seat, std::uint32_t lane, ActingBy& by) {
    if (row.seat) {
        by.actor.memories().read_lane(lane, memories_.data() + *row.seat * nothing_.size());
    }
    const std::uint32_t slot = storage_->head();
    for (const Spec& spec : policy_->wiring().env_specs.specs) {
        if (chain_ && spec.role == Role::kAction) {
            std::memcpy(chain_->outer_row(spec.key, seat), row_at(storage_->find(spec.key)->view, slot, lane),
                        row_bytes(spec));
        }
    }
    TENON_TRY(chain_ ? chain_->invert(seat) : Status());
    for (std::size_t i = 0; i < columns_.outputs.size(); ++i) {
        const Spec& spec = columns_.outputs[i];
        const void* const from =
            chain_ ? chain_->inner_row(spec.key, seat) : row_at(storage_->find(spec.key)->view, slot, lane);
        const std::size_t bytes = row_bytes(spec);
        std::memcpy((*row.actions)[i].data() + row.row * bytes, from, bytes);
    }
    return {};
}

// Sends each client the elements of its action as a loop of the program computes them. With transforms the client's
// action may differ, so it gets all of it at the end.
std::optional<Watch> ServedPolicy::watch_of(std::span<ServedRow* const> rows) const {
    if (chain_ || std::ranges::none_of(rows, [](const ServedRow* row) { return row->stream != nullptr; })) {
        return std::nullopt;
    }
    return Watch{[this, rows](std::string_view loop, std::int64_t /*step*/, std::span<const double> told) {
        for (std::size_t lane = 0; loop == columns_.outputs.front().key && lane < rows.size(); ++lane) {
            if (rows[lane]->stream != nullptr && lane < told.size()) {
                rows[lane]->stream->put(server_event("token", element_text(columns_.outputs.front(), told[lane])));
            }
        }
    }};
}

Status ServedPolicy::call(std::span<ServedRow* const> rows, std::span<const std::uint32_t> seats, ActingBy& by) {
    const auto count = static_cast<std::uint32_t>(rows.size());
    const std::uint32_t lanes = padded(count, storage_->lanes());
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        const std::uint32_t of = lane < count ? lane : 0;
        put(*rows[of], seats[of], lane, by);
    }
    RunNumbers numbers = policy_->numbers;
    numbers.same_parameters = std::exchange(by.called, true);
    const std::optional<Watch> watch = watch_of(rows);
    by.actor.watch(watch ? &*watch : nullptr);
    Status acted = by.actor.act(*storage_, numbers, ++calls_, lanes);
    by.actor.watch(nullptr);
    if (!acted) {
        return acted;
    }
    for (std::uint32_t lane = 0; lane < count; ++lane) {
        if (Status taken = take(*rows[lane], seats[lane], lane, by); !taken) {
            rows[lane]->fault = taken.error().sentence;
        }
    }
    return {};
}

Status ServedPolicy::follow(const std::filesystem::path& checkpoint) {
    for (std::optional<ActingBy>* by : {&best_, &drawn_}) {
        if (by->has_value()) {
            (*by)->called = false;
        }
    }
    TENON_TRY(move_to(*policy_, checkpoint));
    return chain_ ? load_statistics(*policy_, *chain_) : Status();
}

void ServedPolicy::act(std::span<ServedRow> rows, bool samples) {
    ActingBy& by = samples ? *drawn_ : *best_;
    std::vector<ServedRow*> good;
    std::vector<std::uint32_t> seats;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::uint32_t seat = chain_seat(rows[i], i);
        if (chain_) {
            observe(rows[i], seat);
        }
        if (rows[i].fault.empty()) {
            good.push_back(&rows[i]);
            seats.push_back(seat);
        }
    }
    if (good.empty() || call(good, seats, by)) {
        return;
    }
    for (std::size_t i = 0; i < good.size(); ++i) {  // the others are answered without the one that fails
        good[i]->stream = nullptr;                   // its tokens have been sent
        if (Status alone = call({&good[i], 1}, {&seats[i], 1}, by); !alone) {
            good[i]->fault = alone.error().sentence;
        }
    }
}

}  // namespace tenon
