// SPDX-License-Identifier: Apache-2.0
#include "engines/cuda/launches.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include "engines/compiled/dump.hpp"
#include "engines/compiled/element.hpp"
#include "engines/cuda/building.hpp"
#include "engines/cuda/shapes.hpp"

namespace tenon::compiled::device {
namespace {

// Whether the minibatch alone is a step.
bool steps_at_once(const Call& call) {
    return call.part.first && call.part.last;
}

}  // namespace

Result<std::unique_ptr<Launches>> Launches::make(Specialised& program, const ProgramSpec& spec, const Learner& learner,
                                                 Slabs& slabs, const Call& call) {
    std::unique_ptr<Launches> out(new Launches(program, learner, slabs, call));
    out->on_device_ = spec.is_on_device();
    Status built = Building(*out, spec).build();
    return built ? Result<std::unique_ptr<Launches>>(std::move(out))
                 : Result<std::unique_ptr<Launches>>(std::move(built).error());
}

Launches::Launches(Specialised& program, const Learner& learner, Slabs& slabs, const Call& call)
    : program_(program),
      learner_(learner),
      slabs_(slabs),
      queue_(slabs.queue()),
      sizes_(program.sizes),
      gathers_(!steps_at_once(call)),
      inputs_(call.inputs.begin(), call.inputs.end()),
      outputs_(call.outputs.begin(), call.outputs.end()),
      fault_(call.fault) {}

Launches::~Launches() {
    queue_->forget(tables_.memory());
}

bool Launches::is_for(const Call& call) const {
    const bool same_sizes =
        sizes_.rows == call.sizes.rows && sizes_.time == call.sizes.time && sizes_.lanes == call.sizes.lanes;
    return same_sizes && (gathers_ || steps_at_once(call)) &&
           (!on_device_ || (std::ranges::equal(inputs_, call.inputs) && std::ranges::equal(outputs_, call.outputs) &&
                            fault_ == call.fault));
}

// Copying from the same host memory again would have to wait for the previous call's copy.
Status Launches::put_numbers() {
    if (!reads_numbers_) {
        return {};
    }
    constexpr std::size_t kWord = sizeof(std::uint64_t);
    std::vector<PutWord> words;
    for (std::size_t at = kFaultBytes; at < numbers_end_; at += kWord) {
        PutWord& word = words.emplace_back();
        word.to = reinterpret_cast<std::uint64_t*>(given_.memory() + at);
        std::memcpy(&word.value, given_.staged() + at, kWord);
    }
    return queue_->put(words);
}

Status Launches::begin(const Call& call) {
    TENON_TRY(queue_->send());
    const Tape& tape = program_.tape;
    const auto put = [&](const Given& given, const void* from) {
        std::memcpy(given_.staged() + given.offset, from, given.bytes);
    };
    const DrawNumbers draws{.counter = call.random.counter, .first_row = call.random.first_row};
    std::memcpy(given_.staged() + kFaultBytes, &draws, sizeof draws);
    for (const Given& number : numbers_) {
        put(number, tape.bases()[number.buffer]);
    }
    if (on_device_) {
        return put_numbers();
    }
    for (const Given& column : columns_) {
        if (call.inputs[column.index] != nullptr) {
            put(column, call.inputs[column.index]);
        }
    }
    return given_.send();
}

Status Launches::copy(const CopyWork& work) {
    const std::int64_t count = work.count == 0 ? 0 : work.longest;
    Launch one = launch_of(Kernel::kCopy, count, work);
    one.cost *= work.count;
    return queue_->add(one);
}

Status Launches::begin_kept(const Call& call) {
    const std::uint64_t place = kept_count_++;
    std::memcpy(given_.staged() + kPlaceAt, &place, sizeof place);
    return begin(call);
}

Status Launches::fetch_kept() {
    const std::size_t count = std::exchange(kept_count_, 0);
    Status sent = queue_->send();
    return sent && count > 0 ? results_.read(results_.staged(), count * kept_bytes_) : sent;
}

bool Launches::recall(std::size_t number, std::span<double> norms) {
    const std::byte* const from = results_.staged() + number * kept_bytes_;
    for (std::size_t phase = 0; phase < phases_.size(); ++phase) {
        for (const Shown::Part& part : phases_[phase].parts) {
            std::memcpy(program_.tape.bases()[part.buffer], from + kept_at_[phase] + part.offset, part.bytes);
        }
    }
    std::memcpy(norms.data(), from + norms_at_, norms.size_bytes());
    std::uint32_t fault = 0;
    std::memcpy(&fault, from, sizeof fault);
    return fault != 0;
}

Status Launches::run_phase(std::uint32_t phase) {
    for (const Launch& launch : launches_) {
        if (launch.phase == phase) {
            TENON_TRY(queue_->add(launch));
        }
    }
    return phase + 1 == phases_.size() ? copy(written_) : Status();
}

Status Launches::fetch(Shown& shown) {
    Status done = copy(shown.copying);
    done = done ? queue_->send() : done;
    done = done ? shown_.read(shown_.staged(), shown.end) : Status(done.error());
    for (std::size_t i = 0; i < shown.parts.size() && done; ++i) {
        const Shown::Part& part = shown.parts[i];
        std::memcpy(program_.tape.bases()[part.buffer], shown_.staged() + part.offset, part.bytes);
    }
    return done;
}

Result<bool> Launches::show_phase(std::uint32_t phase) {
    if (fault_ != nullptr && phases_[phase].parts.empty()) {
        return false;
    }
    TENON_TRY(fetch(phases_[phase]));
    std::uint32_t fault = 0;
    std::memcpy(&fault, shown_.staged(), sizeof fault);
    return fault != 0;
}

Status Launches::show_gradients(std::size_t place) {
    return fetch(gradients_[place]);
}

Status Launches::store_gradients(std::size_t place, bool add) {
    slabs_.changed(kGradientSlabs);
    return copy(add ? added_[place] : stored_[place]);
}

Status Launches::take_snapshots(std::ptrdiff_t after) {
    for (auto& [stage, copying] : snapshots_) {
        if (stage == after) {
            TENON_TRY(copy(copying));
        }
    }
    return {};
}

Status Launches::commit_states() {
    Status done;
    if (write_states_.count > 0) {
        slabs_.changed(kLiveSlabs);
        done = copy(read_states_);
        done = done ? copy(write_states_) : done;
    }
    return done ? queue_->send() : done;
}

// The shortest time of several runs. The launches of an instruction are added.
Result<std::vector<Spent>> Launches::profile(int runs) {
    const Tape& tape = program_.tape;
    TENON_TRY(queue_->send());
    std::vector<double> of_launches(launches_.size(), std::numeric_limits<double>::infinity());
    for (int run = 0; run < runs; ++run) {
        TENON_TRY(time_launches(of_launches));
    }
    std::vector<Spent> out;
    std::vector<std::size_t> row_of(tape.instructions().size(), std::numeric_limits<std::size_t>::max());
    for (std::size_t i = 0; i < launches_.size(); ++i) {
        const std::uint32_t instruction = launches_[i].instruction;
        if (row_of[instruction] >= out.size()) {
            row_of[instruction] = out.size();
            out.push_back({.what = text_of(tape.listing(), tape.instructions()[instruction]), .us = 0, .limit_us = 0});
        }
        out[row_of[instruction]].us += of_launches[i];
    }
    return out;
}

// Measures one launch after the other; the works that the queue has kept are one launch.
Status Launches::time_launches(std::span<double> us) {
    Queue& queue = *queue_;
    std::uint64_t word = 0;
    Status done;
    const auto time_kept = [&](std::size_t end) {
        const Result<std::vector<double>> times = queue.send_timed();
        for (std::size_t i = 0; times && i < times->size(); ++i) {
            us[end - times->size() + i] = std::min(us[end - times->size() + i], (*times)[i]);
        }
        return times ? Status() : Status(times.error());
    };
    for (std::size_t i = 0; i < launches_.size() && done; ++i) {
        if (queue.keeps(launches_[i])) {
            done = queue.is_full() ? time_kept(i) : done;
            done = done ? queue.add(launches_[i]) : done;
            continue;
        }
        done = time_kept(i);
        done = done ? given_.read(&word, sizeof word) : done;
        const auto start = std::chrono::steady_clock::now();
        done = done ? queue.add_alone(launches_[i]) : done;
        done = done ? given_.read(&word, sizeof word) : done;
        const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - start;
        us[i] = std::min(us[i], spent.count());
    }
    return done ? time_kept(launches_.size()) : done;
}

}  // namespace tenon::compiled::device
