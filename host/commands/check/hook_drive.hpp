// SPDX-License-Identifier: Apache-2.0
// Drives a hook through an artificial run: made-up metrics, and frames in memory that ends at guard pages.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "commands/check/guarded.hpp"
#include "commands/check/workbench.hpp"
#include "experience/replay/callee.hpp"
#include "experience/replay/storage.hpp"
#include "tenon/abi/hook.h"
#include "train/plan/hook_plan.hpp"

namespace tenon {

struct HookShape {
    unsigned char fresh = 0;  // content of fresh heap memory of the hook; 0: unchanged
    bool is_newer = false;    // structs are larger than the hook knows
};

class HookDrive {
public:
    static constexpr std::uint32_t kSlots = 24;
    static constexpr std::uint32_t kLanes = 3;

    static Result<std::unique_ptr<HookDrive>> make(const Workbench& bench, const HookShape& shape);

    [[nodiscard]] const Callee<tn_hook_api>& callee() const { return hook_; }
    [[nodiscard]] const HookPlan& plan() const { return plan_; }

    // Makes the call at one point of the run, with the frames since the last call, if the hook wants it.
    Status call(std::uint32_t event);
    // One round: frames, updates, an evaluation and a checkpoint.
    Status round();

    // What it did in the last call that a host refuses, such as changing what it may only read; empty: nothing.
    [[nodiscard]] const std::string& fault() const { return fault_; }
    // The difference between the reports, moves and messages of two drives; empty if there is none.
    [[nodiscard]] std::string difference(const HookDrive& other) const;
    // A mute drive makes the run without calling the hook.
    void mute(bool is_mute) { is_mute_ = is_mute; }
    // Copies the reports, moves and messages of another drive's hook.
    void follow(const HookDrive& other);

private:
    HookDrive(const Workbench& bench, const HookShape& shape, Instance instance, Storage storage);

    Status make_columns();
    void make_networks();
    void append(std::uint32_t steps);
    void check_unchanged(const std::vector<double>& metrics);

    HookShape shape_;
    tn_key key_;
    Instance instance_;
    Callee<tn_hook_api> hook_;
    Storage storage_;
    HookPlan plan_;
    std::vector<double> options_;
    std::vector<GuardedMemory> memory_;
    std::vector<std::vector<float>> expected_;  // content of the columns
    std::array<std::int64_t, 2> shape_of_column_{kSlots, kLanes};
    std::array<std::int64_t, 2> strides_{kLanes, 1};
    std::vector<tn_column> columns_;
    std::vector<const tn_column*> column_pointers_;
    // One network of two parameters for every role that it reads, and one with two members for every role that it
    // writes.
    struct Network {
        std::vector<float> numbers;
        std::array<std::int64_t, 2> shape;
        std::uint32_t rank;
        std::array<std::int64_t, 2> strides = {2, 1};
        std::array<tn_column, 2> parameters = {};
        std::array<const tn_column*, 2> pointers = {};
        tn_hook_network view = {};
    };
    static void connect(Network& network);
    Network read_ = {.numbers = {0.5F, -1.0F, 0.25F, 2.0F}, .shape = {2, 1}, .rank = 1, .strides = {1, 1}};
    Network written_ = {.numbers = std::vector<float>(8), .shape = {2, 2}, .rank = 2};
    std::vector<const tn_hook_network*> networks_;
    std::vector<const tn_hook_network*> writes_;
    std::uint64_t steps_ = 0;
    std::uint64_t updates_ = 0;
    std::uint64_t calls_ = 0;
    std::uint32_t of_round_ = 0;
    bool is_mute_ = false;
    std::vector<double> metrics_;
    std::vector<double> moved_;
    std::vector<double> reported_;
    std::string stopped_;
    std::string fault_;
};

}  // namespace tenon
