// SPDX-License-Identifier: Apache-2.0
// One listing on the CPU and on a device.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "base/device/device.hpp"
#include "base/simd/level.hpp"
#include "engines/compiled/listing_passes.hpp"
#include "engines/compiled/tape.hpp"
#include "engines/cuda/devices.hpp"
#include "engines/cuda/launches.hpp"
#include "engines/cuda/slabs.hpp"
#include "support/catch.hpp"

namespace on_device {

using namespace tenon;
using namespace tenon::compiled;

// Kernels multiply and add in one, which older processors cannot.
#define NEEDS_FMA()                                                              \
    if (simd::level() == simd::Level::kBase) {                                   \
        SKIP("this machine has no AVX2 with FMA, or TENON_LEVEL leaves it out"); \
    }

// A listing whose inputs are columns, and its results.
class Case {
public:
    std::uint64_t counter = 0;  // this and the next: of random nodes
    std::uint64_t first_row = 0;
    int times = 1;  // that the device computes it
    std::function<void(int time)> before = [](int /*time*/) {};
    bool written_out = false;                   // short sums and rows, as in a program for a device
    bool counts = false;                        // the instructions that have launches
    std::vector<std::vector<std::byte>> found;  // the results of run
    std::size_t launched = 0;                   // what was counted

    // A view of a new column with these bytes.
    View column(DType dtype, Kind kind, std::vector<std::int64_t> shape, std::vector<std::byte> bytes) {
        const auto number = static_cast<std::uint32_t>(listing_.buffers.size());
        View out = dense_view(number, std::move(shape));
        listing_.buffers.push_back(
            {.segment = Segment::kPort, .kind = kind, .size = out.count(), .index = inputs_.size(), .values = {}});
        inputs_.push_back({.key = std::to_string(number), .dtype = dtype, .row = {}});
        given_.push_back(std::move(bytes));
        return out;
    }
    template <class T>
    View column(std::vector<std::int64_t> shape, const std::vector<T>& values) {
        constexpr DType kType = std::is_same_v<T, float> ? DType::kF32 : sizeof(T) == 8 ? DType::kI64 : DType::kBool;
        constexpr Kind kKind = kType == DType::kF32 ? Kind::kReal : kType == DType::kI64 ? Kind::kInt : Kind::kBool;
        const auto* bytes = reinterpret_cast<const std::byte*>(values.data());
        return column(kType, kKind, std::move(shape), std::vector<std::byte>(bytes, bytes + values.size() * sizeof(T)));
    }
    View result(Kind kind, std::vector<std::int64_t> shape) {
        const auto number = static_cast<std::uint32_t>(listing_.buffers.size());
        View out = dense_view(number, std::move(shape));
        listing_.buffers.push_back({.segment = Segment::kScratch, .kind = kind, .size = out.count(), .values = {}});
        return out;
    }
    void add(Op op) { listing_.ops.push_back(std::move(op)); }
    // Compares it.
    void see(const View& view, Kind kind) {
        seen_.push_back({.view = view, .kind = kind});
        pinned_.push_back(view.buffer);
    }

    // True: an index was out of range on the device. `exact`: bit for bit, otherwise within 1e-5 of the
    // largest result.
    bool run(const std::shared_ptr<Device>& on, bool exact = true) {
        Specialised program;
        PhasePlan plan;
        for (std::size_t i = 0; i < seen_.size(); ++i) {
            plan.effects.push_back({.kind = Effect::Kind::kMetric, .index = i, .value = 0, .phase = 0});
        }
        program.plan = &plan;
        program.effects = seen_;
        if (written_out) {
            write_out_short_sums(listing_);
            write_out_short_rows(listing_, pinned_);
        }
        Result<Tape> tape = Tape::make(std::move(listing_), DType::kF32, pinned_);
        REQUIRE(tape);
        program.tape = std::move(*tape);
        Learner learner;
        ProgramSpec spec;
        spec.inputs = inputs_;
        std::vector<const void*> inputs;
        for (const std::vector<std::byte>& bytes : given_) {
            inputs.push_back(bytes.data());
        }
        const Call call{.inputs = inputs, .random = {.counter = counter, .first_row = first_row}};
        program.tape.begin(call, learner);
        program.tape.run_phase(0, call);
        const std::vector<std::vector<std::byte>> expected = results(program.tape, true);

        Result<std::shared_ptr<device::Slabs>> slabs = device::Slabs::of(on, learner);
        REQUIRE(slabs);
        Result<std::unique_ptr<device::Launches>> launches =
            device::Launches::make(program, spec, learner, **slabs, call);
        if (!launches) {
            FAIL(launches.error().sentence);
        }
        bool has_fault = false;
        for (int time = 0; time < times; ++time) {
            CAPTURE(time);
            before(time);
            program.tape.begin(call, learner);
            REQUIRE((*launches)->begin(call));
            REQUIRE((*launches)->run_phase(0));
            const Result<bool> faulty = (*launches)->show_phase(0);
            INFO((faulty ? std::string{} : faulty.error().sentence));
            REQUIRE(faulty);
            has_fault = *faulty;
            found = results(program.tape, true);
            for (std::size_t i = 0; i < seen_.size(); ++i) {
                compare(found[i], expected[i], seen_[i].kind, exact);
            }
        }
        if (counts) {
            const Result<std::vector<Spent>> spent = (*launches)->profile(1);
            REQUIRE(spent);
            launched = spent->size();
        }
        return has_fault;
    }

private:
    // The bytes of every result, which are overwritten if they are to be computed again.
    std::vector<std::vector<std::byte>> results(const Tape& tape, bool clears) const {
        std::vector<std::vector<std::byte>> out;
        for (const Seen& seen : seen_) {
            auto* at = static_cast<std::byte*>(tape.bases()[seen.view.buffer]);
            const auto size = static_cast<std::size_t>(seen.view.count()) * bytes_of(seen.kind, DType::kF32);
            out.emplace_back(at, at + size);
            if (clears) {
                std::memset(at, 0x5A, size);
            }
        }
        return out;
    }

    // What is no number has many bits, of which none counts.
    static void compare(const std::vector<std::byte>& found, const std::vector<std::byte>& expected, Kind kind,
                        bool exact) {
        REQUIRE(found.size() == expected.size());
        if (kind != Kind::kReal) {
            CHECK(found == expected);
            return;
        }
        std::size_t differing = 0;
        float scale = 0;  // of the results
        for (std::size_t i = 0; i + sizeof(float) <= expected.size(); i += sizeof(float)) {
            float each = 0;
            std::memcpy(&each, &expected[i], sizeof each);
            scale = std::isfinite(each) ? std::max(scale, std::abs(each)) : scale;
        }
        for (std::size_t i = 0; i + sizeof(float) <= found.size(); i += sizeof(float)) {
            float a = 0;
            float b = 0;
            std::memcpy(&a, &found[i], sizeof a);
            std::memcpy(&b, &expected[i], sizeof b);
            const bool near = !exact && std::abs(a - b) <= 1e-5F * std::max(std::abs(b), scale);
            differing += near || std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b)) ? 0 : 1;
        }
        CHECK(differing == 0);
    }

    Listing listing_;
    std::vector<Port> inputs_;
    std::vector<std::vector<std::byte>> given_;
    std::vector<Seen> seen_;
    std::vector<std::uint32_t> pinned_;
};

// Long sums are near the CPU's. On a GPU they have the bits of the emulated device. `launched`: the instructions that
// have launches, if they are counted.
inline void run_long(const std::shared_ptr<Device>& device, const std::function<Case()>& make,
                     std::size_t launched = 0) {
    Case on_device = make();
    on_device.run(device, false);
    CHECK(on_device.launched == launched);
    if (device->table.device_type != TN_DEVICE_EMULATED) {
        Case emulated = make();
        emulated.run(open_emulated(), false);
        CHECK(on_device.found == emulated.found);
    }
}

inline std::vector<float> normal(std::mt19937_64& generator, std::int64_t count) {
    std::normal_distribution<float> distribution(0, 2);
    std::vector<float> out(static_cast<std::size_t>(count));
    for (float& each : out) {
        each = distribution(generator);
    }
    return out;
}

}  // namespace on_device
