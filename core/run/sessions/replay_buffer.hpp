// SPDX-License-Identifier: Apache-2.0
// A buffer for a program of one's own: it stores the caller's steps as a run does, and a sampler plugin chooses
// minibatches of them. It needs neither a manifest nor an env.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/data/batch.hpp"
#include "experience/replay/gather.hpp"
#include "experience/replay/rollout.hpp"
#include "experience/replay/sampler.hpp"
#include "experience/replay/storage.hpp"
#include "plugins/plugin/search_path.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {

struct ReplayBufferRequest {
    std::string sampler;                    // the component that chooses rows: "library/component"
    std::vector<std::string> options = {};  // of the sampler, as --set takes them: "alpha=0.7"
    std::int64_t capacity = 1'000'000;      // in frames, of all lanes together
    std::int64_t seed = 0;
    std::vector<SearchFolder> plugins = {};  // of --plugins
};

class ReplayBuffer {
public:
    // Adds every problem and then returns null.
    static std::unique_ptr<ReplayBuffer> make(const ReplayBufferRequest& request, Problems& problems);

    // Appends steps, [lane, time] or [time] (experience/replay/extend.hpp). The first call determines the columns and
    // the number of lanes.
    Status extend(const Batch& steps);

    // `rows` rows that the sampler chooses, [rows], or sequences as [time, rows / time]: all columns of the steps,
    // "next.done", "is_init", and the sampler's own ("weight"). Valid until the next call.
    Result<Batch> sample(std::int64_t rows);

    // Gives the sampler the priorities of the latest sample's rows, one for each.
    Status prioritise(std::span<const double> priorities);
    [[nodiscard]] bool takes_priorities() const { return sampler_->takes_priorities(); }

    // Changes an option of the sampler that is live ("beta").
    Status set_option(std::string_view name, double value);

    // The number of transitions, of all lanes together and of each lane.
    [[nodiscard]] std::int64_t size() const;
    [[nodiscard]] std::int64_t steps() const;
    [[nodiscard]] std::int64_t lanes() const { return storage_ ? storage_->lanes() : 0; }
    [[nodiscard]] std::int64_t capacity() const { return capacity_; }

    // The transitions in their order: [lane, time], `count` steps from step `first` on; step 0 is the oldest. Valid
    // until the next call.
    Result<Batch> in_order(std::int64_t first, std::int64_t count);

    // Saves a folder with the frames (frames.safetensors, which a manifest's buffer.init can read as well) and the
    // state of sampling. load: the buffer continues as the saved one would have; if it fails, the buffer is empty.
    Status save(const std::filesystem::path& folder) const;
    Status load(const std::filesystem::path& folder);

private:
    ReplayBuffer() = default;

    Status build(const ReplayBufferRequest& request, Problems& problems);
    Status make_sampler();
    Status hold(Storage storage);
    Status make_room(std::uint32_t rows);
    Status load_frames(const std::filesystem::path& folder);

    // Members are destroyed from the last to the first.
    std::unique_ptr<Host> host_;
    std::optional<ComponentInfo> info_;
    std::optional<LoadedComponent> component_;
    std::vector<OptionValue> values_;
    std::vector<double> options_;  // their present values, as tn_sample_call has them
    std::optional<Sampler> sampler_;
    std::optional<Storage> storage_;  // none before the first steps
    std::optional<GatherPlan> plan_;
    std::vector<Slab> memory_;  // of the sample's columns, each for sampler_->max_rows() rows
    std::vector<void*> columns_;
    std::optional<Rollout> rollout_;
    std::int64_t rollout_steps_ = 0;
    std::int64_t capacity_ = 0;
    std::uint64_t seed_ = 0;
    std::uint64_t samples_ = 0;  // counter of samples
    std::size_t sampled_ = 0;    // rows of the latest one
};

}  // namespace tenon
