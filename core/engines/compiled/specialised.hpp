// SPDX-License-Identifier: Apache-2.0
// A tape for one variant of a program and one set of sizes, and which results to read from it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engines/compiled/lowering.hpp"
#include "engines/compiled/tape.hpp"
#include "engines/compiled/update_graph.hpp"

namespace tenon::compiled {

struct Seen {
    View view;
    Kind kind = Kind::kReal;
};

struct SeenState {
    std::size_t network = 0;
    std::size_t parameter = 0;
    Seen value;
};

// A copy of a parameter and its source.
struct Snapshot {
    View from;
    View to;
    std::ptrdiff_t after = -1;
};

// A number of a program that depends on the batch size, linearly.
struct Following {
    std::int64_t* number = nullptr;
    std::int64_t at_none = 0;  // for no rows
    std::int64_t by_each = 0;  // increase per row
};

// The sizes that one program serves: from the smallest to the largest.
struct Span {
    std::int64_t Sizes::* along = nullptr;  // the size that varies; null: none
    std::int64_t smallest = 0;
    std::int64_t largest = 0;
    bool operator==(const Span&) const = default;
};

// The device's part of a program.
class DeviceForm {
public:
    DeviceForm() = default;
    DeviceForm(const DeviceForm&) = delete;
    DeviceForm& operator=(const DeviceForm&) = delete;
    virtual ~DeviceForm() = default;
};

struct Specialised {
    const PhasePlan* plan = nullptr;
    Sizes sizes;  // at present
    Span span;
    std::vector<Following> following;
    UpdateGraph update;
    Tape tape;
    std::vector<Seen> losses;                  // by loss; without a buffer if its stage is not due
    std::vector<std::vector<Seen>> gradients;  // by place and parameter; without a buffer if there is none
    std::vector<Seen> effects;                 // as in PhasePlan::effects; writes as rows of their columns
    std::vector<SeenState> states;
    std::vector<Snapshot> snapshots;
    std::unique_ptr<DeviceForm> on_device;  // null: it runs on the CPU
};

// Whether a device has room for the values of every loop of a tape.
using HasRoom = bool (*)(const Tape& tape);

struct Request {
    const ProgramSpec& spec;
    std::span<const StagePlan> stages;
    const Learner& learner;
    const PhasePlan& plan;  // outlives the program
    Sizes sizes;
    Pool* pool = nullptr;
    bool varies = false;                // serves several sizes (varying_sizes.hpp)
    const Specialised* like = nullptr;  // a program for other sizes, whose order of operations to use
    HasRoom has_room = nullptr;         // of the device that it is for; null: it is for the CPU
    bool plain = false;                 // attention becomes products, for which exported programs have forms
};

// The problem says what cannot be compiled.
Result<std::unique_ptr<Specialised>> specialise(const Request& request);

}  // namespace tenon::compiled
