// SPDX-License-Identifier: Apache-2.0
#include "commands/import/import_policy.hpp"

#include <memory>
#include <string>
#include <utility>

#include "commands/import/weights_source.hpp"
#include "folder/records/folder.hpp"
#include "run/start/executor.hpp"
#include "run/start/fingerprints.hpp"
#include "train/checkpoint/store.hpp"
#include "train/loop/snapshot.hpp"
#include "train/loop/trainer.hpp"

namespace tenon {
namespace {

// The folder is created last, so that a failure before it leaves nothing behind.
Status write_run(const Wiring& wiring, Trainer& trainer, const Executor* executor, const std::filesystem::path& out) {
    const std::string plugins = TENON_TRY(plugin_fingerprints(wiring));
    RunFolder folder =
        TENON_TRY(RunFolder::create(out, "runs", wiring.manifest.run.name, resolved_manifest(wiring), plugins));
    const SnapshotExtras extras{.executor = std::string(executor == nullptr ? "" : executor->name()),
                                .records = 0,
                                .graph = executor == nullptr ? std::string() : learning_text(wiring),
                                .scores = {}};
    const Result<Checkpoint> written =
        write_checkpoint(folder.checkpoints(), 0, [&](const std::filesystem::path& into) {
            return save(trainer, extras, wiring.manifest.checkpoint.buffer, into);
        });
    if (!written) {
        folder.discard();
        return written.error();
    }
    folder.mark_released();
    return {};
}

Result<std::unique_ptr<Trainer>> make_trainer(Setup& setup, std::unique_ptr<Executor>& executor) {
    executor = TENON_TRY(load_executor_of(*setup.wiring, setup.host->pool, {}, {}));
    return Trainer::make(*setup.wiring, setup.running, *setup.host, executor.get());
}

}  // namespace

std::optional<Taken> import_policy(const ImportRequest& request, Problems& problems) {
    Setup setup = set_up(request.request, problems);
    if (!problems.empty()) {
        return std::nullopt;
    }
    const auto failed = [&](Problem problem) {
        problems.push_back(std::move(problem));
        return std::nullopt;
    };
    Result<std::vector<ForeignTensor>> tensors = read_foreign_weights(request.file);
    if (!tensors) {
        return failed(std::move(tensors).error());
    }
    std::unique_ptr<Executor> executor;
    Result<std::unique_ptr<Trainer>> trainer = make_trainer(setup, executor);
    if (!trainer) {
        return failed(std::move(trainer).error());
    }
    std::optional<Taken> taken =
        take_weights(*tensors, request.rules, (*trainer)->learner(), request.file.string(), problems);
    if (!taken) {
        return std::nullopt;
    }
    Status written = write_run(*setup.wiring, **trainer, executor.get(), request.out);
    if (!written) {
        return failed(std::move(written).error());
    }
    return taken;
}

}  // namespace tenon
