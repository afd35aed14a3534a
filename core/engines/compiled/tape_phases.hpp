// SPDX-License-Identifier: Apache-2.0
// What the phases of a compiled program have in common, on the CPU and on a device: the tape for a call's sizes, and
// results that are read from the host's tape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compute/exec/phased.hpp"
#include "engines/compiled/known_programs.hpp"

namespace tenon::compiled {

class TapePhases : public Phased {
public:
    double mean(std::size_t effect) override;
    std::vector<double> elements(std::size_t effect) override;
    Status check(std::size_t effect, const Call& call) override;
    void write(std::size_t effect, void* memory, const Call& call) override;
    double loss(std::size_t index) override;
    void differentiate(std::size_t /*place*/) override {}  // compute has made the gradients
    Problem blame(std::string what, std::uint32_t phase, const Call& call) override;
    [[nodiscard]] std::string_view computed_by() const override { return "compiled"; }

protected:
    // dump: the folder that new tapes are written to; empty: none.
    TapePhases(const ProgramSpec& spec, std::vector<StagePlan> stages, Learner& learner,
               std::shared_ptr<Program> reference, std::filesystem::path dump);

    // Finds the tape for the call's sizes, or makes it.
    Status find_tape(const PhasePlan& plan, const Call& call, Pool* pool, HasRoom has_room = nullptr);
    [[nodiscard]] Problem out_of_bounds(const Call& call);

    ProgramSpec spec_;
    std::vector<StagePlan> stages_;
    Learner& learner_;
    Specialised* at_ = nullptr;  // of the present run

private:
    [[nodiscard]] std::optional<Problem> blamed_by_reference(const Call& call) const;

    std::shared_ptr<Program> reference_;
    std::filesystem::path dump_;
    KnownPrograms known_;
};

}  // namespace tenon::compiled
