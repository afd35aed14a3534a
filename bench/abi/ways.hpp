// SPDX-License-Identifier: Apache-2.0
// The ways to step an env that are measured against each other. They share one set of columns, so that all of them work
// in the same memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "experience/env/lane_columns.hpp"
#include "experience/env/lanes.hpp"
#include "inlined.hpp"
#include "plugins/plugin/host_services.hpp"
#include "plugins/plugin/registry.hpp"

namespace tenon::bench {

// What instances are made of, and what has to outlive them.
struct Workshop {
    Pool pool{1};
    HostServices services{pool};
    Registry registry = Registry::scan(search_folders({{installed_folder() / "abi", {}, {}}}));
};

// An env as it was found, with its default options.
struct Env {
    LoadedComponent component;
    std::vector<OptionValue> options;

    static Result<Env> find(Workshop& workshop, const std::string& name);
    // The same in a process of its own.
    [[nodiscard]] Result<Env> apart(const Workshop& workshop) const;
    [[nodiscard]] Result<Instance> instance(std::uint32_t lanes) const;
};

// The columns of so many lanes, with drawn actions, which every way reads and writes from slot 0 on.
class Course {
public:
    static constexpr std::uint32_t kSlots = 32;

    static Result<std::unique_ptr<Course>> make(const Env& env, std::uint32_t lanes);

    [[nodiscard]] Storage& storage() { return storage_; }
    [[nodiscard]] const Composite& specs() const { return specs_; }
    [[nodiscard]] const std::uint64_t* seeds() const { return seeds_.data(); }

    // All that a way has written, as bytes.
    [[nodiscard]] std::vector<unsigned char> written() const;
    // Makes it what no way writes.
    void scrub();

private:
    Course(Composite specs, Storage storage, std::vector<std::uint64_t> seeds)
        : specs_(std::move(specs)), storage_(std::move(storage)), seeds_(std::move(seeds)) {}

    Composite specs_;
    Storage storage_;
    std::vector<std::uint64_t> seeds_;
};

// As the host steps in a run, all that it looks at included.
class ByHost {
public:
    static Result<std::unique_ptr<ByHost>> make(const Env& env, Course& course, Workshop& workshop);
    Status run(std::uint32_t steps);  // a multiple of the course's slots

private:
    explicit ByHost(Lanes lanes) : lanes_(std::move(lanes)) {}

    Lanes lanes_;
};

// The plugin's function, called as the ABI has it, and nothing else.
class ByAbi {
public:
    static Result<std::unique_ptr<ByAbi>> make(const Env& env, Course& course);
    Status run(std::uint32_t steps);

private:
    ByAbi(Instance instance, LaneColumns columns, std::uint32_t lanes)
        : instance_(std::move(instance)), columns_(std::move(columns)), lane_status_(lanes) {}

    Instance instance_;
    const tn_env_api* api_ = nullptr;
    LaneColumns columns_;
    std::vector<std::uint8_t> lane_status_;
    tn_env_buffers buffers_{};
};

// The loop without a plugin, of CartPole.
std::unique_ptr<Inlined> make_inlined(const Env& env, Course& course, const Workshop& workshop);

}  // namespace tenon::bench
