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
        find_largest_ = {device, module, "replay_find_largest"};
        prioritise_ = {device, module, "replay_prioritise"};
        refresh_ = {device, module, "replay_refresh"};
        refresh_upper_ = {device, module, "replay_refresh_upper"};
        const bool same = saved_.slots == room.slots && saved_.lanes == room.lanes;
        if (same && opened_) {  // only for more rows
            return;
        }
        make_tree(device, static_cast<std::uint32_t>(items));
        held_ = {device, room.lanes};
        learned_ = {device, 1};
        device_beta_ = {device, 1};
        device_beta_.write({beta_});
        opened_ = true;
        if (same && !saved_.weights.empty()) {
            put_saved();
        }
        saved_.slots = room.slots;
        saved_.lanes = room.lanes;
    }

    void enqueue_sample(const tn_device_sample_call& call) {
        const Ring ring = ring_of(call, saved_.slots, saved_.lanes);
        const std::uint32_t blocks = blocks_for(tree_.items);
        if (within_) {
            find_largest_.launch(*call.stream, blocks, threads_, tree_, changes_, call.numbers, learned_on_device());
        }
        follow_.launch(*call.stream, blocks, threads_, tree_, changes_, ring, call.numbers, learned_on_device(),
                       held_.data(), shape_);
        refresh(*call.stream, call.numbers);
        const double* const beta =
            call.option_count > kBeta ? call.options + kBeta : static_cast<const double*>(device_beta_.data());
        const Grid grid = grid_for(call.rows, threads_);
        draw_.launch(*call.stream, grid.blocks, grid.threads, tree_, ring, call.numbers, rows_of(call, steps_, 1),
                     static_cast<float*>(call.columns[0]), beta, std::uint32_t{stratified_ ? 1U : 0U});
    }

    void enqueue_prioritise(const tn_device_priority_call& call) {
        const std::uint32_t blocks = (call.rows + threads_ - 1) / threads_;
        prioritise_.launch(*call.stream, blocks, threads_, changes_, call.slot, call.lane, call.priorities, call.rows,
                           saved_.lanes, shape_, call.stream->fault);
        refresh(*call.stream, nullptr);
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
            const bool fits = saved_.weights.empty()
                                  ? saved_.held.empty()
                                  : saved_.weights.size() == whole_lines(items) && saved_.held.size() == saved_.lanes;
            if (!fits) {
                throw tenon::DataLoss("saved state is damaged: its priorities do not fit its rows");
            }
            if (opened_ && !saved_.weights.empty() && leaves_.size() == saved_.weights.size()) {
                put_saved();
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

    // The count, rounded up to whole lines.
    static std::size_t whole_lines(std::size_t count) {
        return std::max<std::size_t>((count + kWide - 1) / kWide, 1) * kWide;
    }

    // The number of blocks that share so many items. It never changes a result; on the emulated device each block costs
    // time.
    [[nodiscard]] std::uint32_t blocks_for(std::uint64_t items) const {
        const std::uint64_t most = threads_ == kThreads ? 128 : 2;
        return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(items / threads_, 1, most));
    }

    // `numbers` null: priorities have changed the weights.
    void refresh(const tn_stream& stream, const tn_sample_numbers* numbers) const {
        refresh_.launch(stream, threads_ == kThreads ? groups() : 1, threads_, tree_, changes_, numbers,
                        learned_.data(), static_cast<const tn_fault*>(stream.fault));
        if (tree_.levels > kGroupHeights) {
            refresh_upper_.launch(stream, 1, threads_, tree_);
        }
    }

    // Its weights count from the next refresh on.
    void put_saved() {
        learned_.write({saved_.learned});
        held_.write(saved_.held);
        leaves_.write(saved_.weights);
        lines_.write(std::vector<std::uint8_t>(lines_.size(), 1));
        groups_.write(std::vector<std::uint8_t>(groups_.size(), 1));
        saved_.weights = {};
    }

    void make_tree(const tn_device& device, std::uint32_t items) {
        tree_ = {};
        levels_.clear();
        leaves_ = {device, whole_lines(items)};
        tree_.leaves = leaves_.data();
        tree_.items = items;
        std::size_t nodes = leaves_.size() / kWide;
        lines_ = {device, nodes};
        do {
            const std::size_t size = whole_lines(nodes);
            tree_.top = static_cast<std::uint32_t>(nodes);
            levels_.emplace_back(device, size);
            tree_.sum[tree_.levels] = levels_.back().data();
            levels_.emplace_back(device, size);
            levels_.back().write(std::vector<float>(size, std::numeric_limits<float>::infinity()));
            tree_.least[tree_.levels] = levels_.back().data();
            ++tree_.levels;
            nodes = size / kWide;
        } while (tree_.top > kCrown);
        claims_ = {device, leaves_.size()};
        groups_ = {device, (lines_.size() + kGroupLines - 1) / kGroupLines * kGroupApart};
        largest_ = {device, 1};
        most_ = {device, 1};
        changes_ = {.claims = claims_.data(),
                    .lines = lines_.data(),
                    .groups = groups_.data(),
                    .largest = largest_.data(),
                    .most = most_.data()};
    }

    [[nodiscard]] std::uint32_t groups() const { return static_cast<std::uint32_t>(groups_.size() / kGroupApart); }
    [[nodiscard]] const Learned* learned_on_device() const { return learned_.data(); }

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
    Saved saved_;  // weights: loaded before there is a device to put them on
    Tree tree_{};
    Changes changes_{};
    tenon::DeviceKernel find_largest_, follow_, draw_, prioritise_, refresh_, refresh_upper_;
    tenon::DeviceMemory<float> leaves_;
    std::vector<tenon::DeviceMemory<float>> levels_;
    tenon::DeviceMemory<Claim> claims_, largest_;
    tenon::DeviceMemory<std::uint32_t> most_;
    tenon::DeviceMemory<std::uint8_t> lines_, groups_, held_;
    tenon::DeviceMemory<Learned> learned_;
    tenon::DeviceMemory<double> device_beta_;

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
