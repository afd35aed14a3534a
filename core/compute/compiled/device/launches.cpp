// SPDX-License-Identifier: Apache-2.0
#include "compute/compiled/device/launches.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "compute/compiled/device/building.hpp"
#include "compute/compiled/device/shapes.hpp"
#include "compute/compiled/element.hpp"

namespace tenon::compiled::device {

Result<std::unique_ptr<Launches>> Launches::make(Specialised& program, const ProgramSpec& spec, const Learner& learner,
                                                 Slabs& slabs, const Call& call) {
    std::unique_ptr<Launches> out(new Launches(program, learner, slabs, call));
    out->there_ = spec.there;
    Status built = Building(*out, spec).build();
    return built ? Result<std::unique_ptr<Launches>>(std::move(out))
                 : Result<std::unique_ptr<Launches>>(std::move(built).error());
}

Launches::Launches(Specialised& program, const Learner& learner, Slabs& slabs, const Call& call)
    : program_(program),
      learner_(learner),
      slabs_(slabs),
      sizes_(program.sizes),
      inputs_(call.inputs.begin(), call.inputs.end()),
      outputs_(call.outputs.begin(), call.outputs.end()),
      fault_(call.fault) {}

bool Launches::is_for(const Call& call) const {
    const bool same_sizes =
        sizes_.rows == call.sizes.rows && sizes_.time == call.sizes.time && sizes_.lanes == call.sizes.lanes;
    return same_sizes && (!there_ || (std::ranges::equal(inputs_, call.inputs) &&
                                      std::ranges::equal(outputs_, call.outputs) && fault_ == call.fault));
}

// A copy from the same memory of the host would have to wait for the copy of the call before.
Status Launches::put_numbers() {
    constexpr std::size_t kWord = sizeof(std::uint64_t);
    Status done;
    for (std::size_t at = kFaultBytes; at < numbers_end_ && done; at += kMostWords * kWord) {
        PutWork work{};
        work.to = reinterpret_cast<std::uint64_t*>(given_.memory() + at);
        work.count = static_cast<std::uint32_t>(std::min<std::size_t>((numbers_end_ - at) / kWord, kMostWords));
        std::memcpy(work.words, given_.staged() + at, work.count * kWord);
        done = launch_elements(*slabs_.device(), slabs_.kernels(), Kernel::kPut, work.count, &work);
    }
    return done;
}

Status Launches::begin(const Call& call) {
    const Tape& tape = program_.tape;
    const auto put = [&](const Given& given, const void* from) {
        std::memcpy(given_.staged() + given.offset, from, given.bytes);
    };
    const DrawNumbers draws{.counter = call.counter, .first_row = call.first_row};
    std::memcpy(given_.staged() + kFaultBytes, &draws, sizeof draws);
    for (const Given& number : numbers_) {
        put(number, tape.bases()[number.buffer]);
    }
    if (there_) {
        return put_numbers();
    }
    for (const Given& column : columns_) {
        if (call.inputs[column.index] != nullptr) {
            put(column, call.inputs[column.index]);
        }
    }
    return given_.send();
}

Status Launches::run(Launch& launch) {
    void* const work = std::visit([](auto& one) { return static_cast<void*>(&one); }, launch.work);
    const auto enqueue = launch.by_block ? &launch_blocks : &launch_elements;
    return enqueue(*slabs_.device(), slabs_.kernels(), launch.kernel, launch.count, work);
}

Status Launches::copy(Copying& copying) {
    return copying.work.count == 0
               ? Status()
               : launch_elements(*slabs_.device(), slabs_.kernels(), Kernel::kCopy, copying.longest, &copying.work);
}

Status Launches::run_phase(std::uint32_t phase) {
    for (Launch& launch : launches_) {
        if (launch.phase == phase) {
            if (Status done = run(launch); !done) {
                return done;
            }
        }
    }
    return phase + 1 == phases_.size() ? copy(written_) : Status();
}

Status Launches::fetch(Shown& shown) {
    Status done = copy(shown.copying);
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
    if (Status done = fetch(phases_[phase]); !done) {
        return std::move(done).error();
    }
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
            if (Status done = copy(copying); !done) {
                return done;
            }
        }
    }
    return {};
}

Status Launches::commit_states() {
    if (write_states_.work.count == 0) {
        return {};
    }
    slabs_.changed(kLiveSlabs);
    Status done = copy(read_states_);
    return done ? copy(write_states_) : done;
}

}  // namespace tenon::compiled::device
