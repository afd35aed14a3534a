// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/executor.hpp"

#include <optional>
#include <string>
#include <utility>

#include "compute/exec/device_engine.hpp"
#include "engines/compiled/dump.hpp"
#include "engines/compiled/first_difference.hpp"
#include "engines/compiled/program.hpp"
#include "engines/compiled/via_host.hpp"
#include "engines/compiled/watched.hpp"

namespace tenon::compiled {
namespace {

// Products of fewer rows are sums in another order (kernels/products.inc).
constexpr std::uint32_t kEqualRows = 4;

class CompilingExecutor final : public Executor {
public:
    CompilingExecutor(std::shared_ptr<Executor> reference, Setting setting)
        : reference_(std::move(reference)), setting_(std::move(setting)) {}

    [[nodiscard]] std::string_view name() const override { return "compiled"; }
    [[nodiscard]] std::shared_ptr<Device> device() const override { return setting_.device; }
    [[nodiscard]] std::uint32_t equal_rows() const override { return kEqualRows; }

    Result<std::unique_ptr<Program>> forward(const ProgramSpec& spec, Learner& learner) override {
        return compiled(spec, {}, learner, reference_->forward(spec, learner));
    }

    Result<std::unique_ptr<Program>> update(const ProgramSpec& spec, std::vector<StagePlan> stages,
                                            Learner& learner) override {
        Result<std::unique_ptr<Program>> plain = reference_->update(spec, stages, learner);
        return compiled(spec, std::move(stages), learner, std::move(plain));
    }

private:
    Result<std::unique_ptr<Program>> compiled(const ProgramSpec& spec, std::vector<StagePlan> stages, Learner& learner,
                                              Result<std::unique_ptr<Program>> plain) const {
        if (!plain) {
            return plain;
        }
        TENON_TRY(must_compile(spec, stages, learner));
        return make_program(spec, std::move(stages), learner, std::move(*plain), setting_);
    }

    std::shared_ptr<Executor> reference_;
    Setting setting_;
};

std::string told(const Problem& problem) {
    return problem.place.file.empty()
               ? problem.sentence
               : problem.sentence + " (" + problem.place.file + ":" + std::to_string(problem.place.line) + ")";
}

class WatchedExecutor final : public Executor {
public:
    WatchedExecutor(const std::shared_ptr<Executor>& reference, Say line, Setting setting)
        : reference_(reference),
          compiling_(reference, {.pool = setting.pool}),
          say_(line),
          setting_(std::move(setting)),
          trust_(std::make_shared<Trust>(Trust{.exchange = setting_.exchange})) {}

    [[nodiscard]] std::string_view name() const override {
        return trust_->is_lost(true) || !compiles_ ? reference_->name() : compiling_.name();
    }
    [[nodiscard]] std::shared_ptr<Device> device() const override { return setting_.device; }
    [[nodiscard]] std::uint32_t equal_rows() const override {
        return trust_->is_lost(true) || !compiles_ ? reference_->equal_rows() : compiling_.equal_rows();
    }

    Result<std::unique_ptr<Program>> forward(const ProgramSpec& spec, Learner& learner) override {
        return watched(spec, {}, learner, reference_->forward(spec, learner));
    }

    Result<std::unique_ptr<Program>> update(const ProgramSpec& spec, std::vector<StagePlan> stages,
                                            Learner& learner) override {
        Result<std::unique_ptr<Program>> plain = reference_->update(spec, stages, learner);
        return watched(spec, std::move(stages), learner, std::move(plain));
    }

private:
    // The reference's programs read columns in the host's memory, wherever they compute their updates.
    Result<std::unique_ptr<Program>> watched(const ProgramSpec& spec, std::vector<StagePlan> stages, Learner& learner,
                                             Result<std::unique_ptr<Program>> plain) {
        if (!plain) {
            return plain;
        }
        if (trust_->is_lost(true)) {
            return spec.is_on_device() ? via_host(std::move(*plain), spec, learner, setting_.device) : std::move(plain);
        }
        if (Status compiles = check_compiles(spec, stages, learner); !compiles) {
            const std::string line =
                "the program '" + spec.name + "' runs on the reference executor: " + told(compiles.error());
            say(line);
            Status dumped = setting_.dump.empty() ? Status() : dump_left(setting_.dump, spec.name, line);
            return dumped ? std::move(plain) : Result<std::unique_ptr<Program>>(std::move(dumped).error());
        }
        if (Status left = must_leave(spec, stages, learner); !left) {
            say("the program '" + spec.name + "' runs on the reference executor on " + setting_.device->name + ": " +
                told(left.error()));
            return plain;
        }
        compiles_ = true;
        std::shared_ptr<Program> reference = std::move(*plain);
        std::unique_ptr<Program> compiled = TENON_TRY(make_program(spec, stages, learner, reference, setting_));
        ProgramSpec on_host = spec;
        on_host.residence = Residence::kHost;
        return watch(std::move(compiled), std::move(reference),
                     {.spec = on_host,
                      .stages = std::move(stages),
                      .learner = learner,
                      .trust = trust_,
                      .device = spec.is_on_device() ? setting_.device : nullptr,
                      .writes_on_device = spec.writes_on_device(),
                      .disagreed = [this](const Watch& watch, const Call& call, const std::string& what) {
                          say(disagreement(watch, call, what));
                      }});
    }

    // Why the reference executor must compute the update on the device: the problem names what has no kernels.
    [[nodiscard]] Status must_leave(const ProgramSpec& spec, const std::vector<StagePlan>& stages,
                                    const Learner& learner) const {
        const bool chooses = setting_.reference_on_device && !stages.empty();
        Status runs = chooses ? setting_.device->engine->check_runs(spec, stages, learner) : Status();
        return runs || !setting_.device->engine->check_steps(spec, stages, learner) ? Status() : runs;
    }

    std::string disagreement(const Watch& watch, const Call& call, const std::string& what) {
        const std::optional<Problem> node =
            first_difference(compiling_, *reference_, watch.spec, watch.stages, watch.learner, call);
        return "the run continues on the reference executor: in the program '" + watch.spec.name + "' " + what + "; " +
               (node ? told(*node) : "no single node explains it") + "; please report it";
    }

    void say(const std::string& line) const {
        if (say_ != nullptr) {
            say_(line);
        }
    }

    std::shared_ptr<Executor> reference_;
    CompilingExecutor compiling_;
    Say say_;
    Setting setting_;
    std::shared_ptr<Trust> trust_;
    bool compiles_ = false;  // at least one program
};

}  // namespace

Status must_compile(const ProgramSpec& spec, std::span<const StagePlan> stages, const Learner& learner) {
    Status compiles = check_compiles(spec, stages, learner);
    if (!compiles) {
        Problem& problem = compiles.error();
        problem.sentence = "the program '" + spec.name + "' cannot be compiled: " + problem.sentence;
        problem.help = "run.executor = \"auto\" runs such a program on the reference executor";
    }
    return compiles;
}

std::unique_ptr<Executor> make_executor(std::unique_ptr<Executor> reference, const Setting& setting) {
    return std::make_unique<CompilingExecutor>(std::move(reference), setting);
}

std::unique_ptr<Executor> make_watched_executor(std::unique_ptr<Executor> reference, Say say, const Setting& setting) {
    return std::make_unique<WatchedExecutor>(std::shared_ptr<Executor>(std::move(reference)), say, setting);
}

}  // namespace tenon::compiled
