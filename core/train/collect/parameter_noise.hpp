// SPDX-License-Identifier: Apache-2.0
// Acts with the policy's parameters plus noise (Plappert et al. 2018), the version "perturbed" of its networks. Noise
// is drawn again between rounds. As in the paper, the noise scale follows the distance between actions with and without
// noise. From one draw to the next it grows by a factor if the distance is below the target, and shrinks by it
// otherwise.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "compute/exec/program.hpp"
#include "compute/parameters/network.hpp"
#include "experience/replay/storage.hpp"
#include "tenon/abi/random.h"
#include "tenon/abi/state.h"

namespace tenon {

struct Wiring;

class ParameterNoise {
public:
    // The learner and the storage's memory must outlive it.
    static Result<ParameterNoise> make(const Wiring& wiring, Executor& executor, Learner& learner,
                                       const Storage& storage);

    // At the start of a round: draws new noise if it is due.
    void begin_round(std::int64_t frames, const RunNumbers& numbers);
    // After the last step of a round, before learning: adapts sigma if the next round draws.
    Status end_round(const Storage& storage, std::int64_t frames, const RunNumbers& numbers);

    [[nodiscard]] double sigma(const RunNumbers& numbers) const { return adapts_ ? sigma_ : numbers.live[live_sigma_]; }
    [[nodiscard]] double distance() const { return distance_; }  // between actions; NaN: not measured yet

    [[nodiscard]] Status save(const tn_writer& writer) const;
    Status load(const tn_reader& reader);

private:
    ParameterNoise() = default;

    void draw(std::uint64_t number, double sigma);
    [[nodiscard]] bool is_due(std::int64_t frames) const { return frames - drawn_at_ >= every_; }
    [[nodiscard]] Result<double> measure(const Storage& storage, const RunNumbers& numbers);
    Status act(Program& program, const Storage& storage, std::uint32_t slot, const RunNumbers& numbers,
               std::vector<std::byte>& actions);
    [[nodiscard]] double moved(const Storage& storage) const;

    Learner* learner_ = nullptr;
    std::vector<std::size_t> networks_;  // of the learner, that acting reads
    std::vector<tn_key> keys_;           // one per network
    std::vector<double> normals_;        // of one parameter
    std::uint32_t live_sigma_ = 0;
    std::uint32_t live_target_ = 0;
    double factor_ = 1;
    std::int64_t every_ = 0;
    bool adapts_ = false;

    std::unique_ptr<Program> plain_mode_;
    std::unique_ptr<Program> noisy_mode_;
    std::vector<View> inputs_;
    std::vector<const void*> input_rows_;
    std::vector<void*> output_rows_;
    std::size_t action_ = 0;     // index among the outputs
    DType dtype_ = DType::kF32;  // of actions
    std::vector<double> units_;  // by element of an action: the unit of the distance
    std::vector<std::byte> plain_actions_;
    std::vector<std::byte> noisy_actions_;
    std::vector<double> metrics_;
    std::vector<double> controls_;

    double sigma_ = 0;
    double distance_ = 0;
    std::int64_t drawn_at_ = 0;
    std::uint64_t draws_ = 0;
};

}  // namespace tenon
