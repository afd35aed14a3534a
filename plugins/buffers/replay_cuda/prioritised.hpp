// SPDX-License-Identifier: Apache-2.0
// Prioritised replay on a device: the rows and weights of replay/prioritised.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "chosen_rows.hpp"
#include "kernels.hpp"
#include "prioritised.cuh"

class PrioritisedOnDevice {
public:
    static constexpr bool only_on_device = true;

    void setup() {
        shape_ = {.alpha = alpha_, .eps = eps_, .square = kind_ == "square" ? 1U : 0U, .within = within_ ? 1U : 0U};
    }

    [[nodiscard]] tenon::SamplerPlan plan() const {
        return tenon::with_steps({.gathers = {{.source = "*"}}, .columns = {{.key = "weight"}}}, steps_);
    }

    void sample(tenon::Rng& /*rng*/, const tenon::Transitions& /*buffer*/, const tenon::SampleRows& /*rows*/) {
        refuse_cpu();
    }
    void prioritise(const tenon::Priorities& /*rows*/) { refuse_cpu(); }

    void open(const tenon::DeviceRoom& room) {
        const std::uint64_t items = std::uint64_t{room.slots} * room.lanes;
        if (items > std::numeric_limits<std::uint32_t>::max()) {
            throw tenon::InvalidArgument("a prioritised buffer can hold at most 4294967295 frames");
        }
        const tn_device& device = *room.device;
        threads_ = threads_for(device);
        void* const module = replay_cuda_kernels(device);
        follow_ = {device, module, "replay_follow"};
        draw_ = {device, module, "replay_draw_prioritised"};
        prioritise_ = {device, module, "replay_prioritise"};
        rebuild_ = {device, module, "replay_rebuild"};
        const bool same = saved_.slots == room.slots && saved_.lanes == room.lanes;
        if (same && opened_) {  // only for more rows
            return;
        }
        make_tree(device, static_cast<std::uint32_t>(items));
        owner_ = {device, static_cast<std::size_t>(items)};
        held_ = {device, room.lanes};
        learned_ = {device, 1};
        beta_there_ = {device, 1};
        beta_there_.write({beta_});
        opened_ = true;
        restore_ = same && !saved_.weights.empty();
        if (restore_) {
            put_saved();
        }
        saved_.slots = room.slots;
        saved_.lanes = room.lanes;
    }

    void enqueue_sample(const tn_device_sample_call& call) {
        const Ring ring = ring_of(call, saved_.slots, saved_.lanes);
        if (restore_) {
            rebuild_.launch(*call.stream, 1, threads_, tree_);
            restore_ = false;
        }
        follow_.launch(*call.stream, 1, threads_, tree_, ring, call.numbers, learned_.data(), held_.data(), shape_);
        const double* const beta =
            call.option_count > kBeta ? call.options + kBeta : static_cast<const double*>(beta_there_.data());
        const Grid grid = grid_for(call.rows, threads_);
        draw_.launch(*call.stream, grid.blocks, grid.threads, tree_, ring, call.numbers, rows_of(call, steps_, 1),
                     static_cast<float*>(call.columns[0]), beta, std::uint32_t{stratified_ ? 1U : 0U});
    }

    void enqueue_prioritise(const tn_device_priority_call& call) {
        prioritise_.launch(*call.stream, 1, threads_, tree_, call.slot, call.lane, call.priorities, call.rows,
                           saved_.lanes, owner_.data(), learned_.data(), shape_, call.stream->fault);
    }

    void state(tenon::Archive& archive) {
        if (!archive.loading() && opened_) {
            saved_.learned = learned_.read().front();
            saved_.held = held_.read();
            saved_.weights = leaves_.read();
        }
        archive(saved_.slots, saved_.lanes, saved_.learned, saved_.held, saved_.weights);
        if (archive.loading()) {
            const std::size_t items = std::size_t{saved_.slots} * saved_.lanes;
            const bool fits = saved_.weights.empty() ? saved_.held.empty()
                                                     : saved_.weights.size() == lines_for(items) * kWide &&
                                                           saved_.held.size() == saved_.lanes;
            if (!fits) {
                throw tenon::DataLoss("saved state is damaged: its priorities do not fit its rows");
            }
            if (opened_ && !saved_.weights.empty() && leaves_.size() == saved_.weights.size()) {
                put_saved();
                restore_ = true;
            } else {
                opened_ = false;
            }
        } else if (opened_) {
            saved_.weights = {};
        }
    }

private:
    struct Saved {
        std::uint32_t slots = 0;
        std::uint32_t lanes = 0;
        Learned learned{};
        std::vector<std::uint8_t> held;
        std::vector<float> weights;
    };

    static std::size_t lines_for(std::size_t count) { return std::max<std::size_t>((count + kWide - 1) / kWide, 1); }

    void put_saved() {
        learned_.write({saved_.learned});
        held_.write(saved_.held);
        leaves_.write(saved_.weights);
        saved_.weights = {};
    }

    void make_tree(const tn_device& device, std::uint32_t items) {
        tree_ = {};
        levels_.clear();
        leaves_ = {device, lines_for(items) * kWide};
        tree_.leaves = leaves_.data();
        tree_.items = items;
        std::size_t nodes = lines_for(items);
        do {
            const std::size_t size = lines_for(nodes) * kWide;
            tree_.top = static_cast<std::uint32_t>(nodes);
            levels_.emplace_back(device, size);
            tree_.sum[tree_.levels] = levels_.back().data();
            levels_.emplace_back(device, size);
            levels_.back().write(std::vector<float>(size, std::numeric_limits<float>::infinity()));
            tree_.least[tree_.levels] = levels_.back().data();
            ++tree_.levels;
            nodes = size / kWide;
        } while (tree_.top > kCrown);
    }

    double alpha_ = 0;
    double beta_ = 0;
    double eps_ = 0;
    std::string kind_;
    bool within_ = false;
    bool stratified_ = false;
    std::uint32_t steps_ = 1;

    Shape shape_{};
    std::uint32_t threads_ = kThreads;
    bool opened_ = false;
    bool restore_ = false;  // leaves were loaded: the nodes above them must be made anew
    Saved saved_;           // weights: loaded before there is a device to put them on
    Tree tree_{};
    tenon::DeviceKernel follow_, draw_, prioritise_, rebuild_;
    tenon::DeviceMemory<float> leaves_;
    std::vector<tenon::DeviceMemory<float>> levels_;
    tenon::DeviceMemory<std::uint32_t> owner_;
    tenon::DeviceMemory<std::uint8_t> held_;
    tenon::DeviceMemory<Learned> learned_;
    tenon::DeviceMemory<double> beta_there_;

    static constexpr std::size_t kBeta = 1;  // among the options

public:
    static constexpr auto options = std::tuple{
        tenon::option<&PrioritisedOnDevice::alpha_>("alpha", 0.6, "[0,10]",
                                                    "exponent of the priorities: 0 samples uniformly"),
        tenon::live<&PrioritisedOnDevice::beta_>("beta", 0.4, "[0,1]",
                                                 "exponent of the importance weights: 1 corrects the sampling fully"),
        tenon::option<&PrioritisedOnDevice::eps_>("eps", 1e-8, "(0,1]", "added to every priority"),
        tenon::option<&PrioritisedOnDevice::kind_>(
            "priority", "abs", "abs|square",
            "a row's priority is the number that the objective gives: its absolute value or its square"),
        tenon::option<&PrioritisedOnDevice::within_>("max_priority_within_buffer", false, "",
                                                     "new rows have the largest priority that the buffer holds, in "
                                                     "place of the largest so far"),
        tenon::option<&PrioritisedOnDevice::stratified_>(
            "stratified", false, "",
            "row i of n draws from the i-th of n equal parts of the sum of all weights, in place of all of it"),
        tenon::option<&PrioritisedOnDevice::steps_>("n_step", 1, "[1,1000]",
                                                    "consecutive steps of an episode in a row (n-step)")};
};
