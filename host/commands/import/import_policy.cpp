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

Result<Taken> import_file(Setup setup, const ImportRequest& request) {
    std::vector<ForeignTensor> tensors = TENON_TRY(read_foreign_weights(request.file));
    const Wiring& wiring = *setup.wiring;
    std::unique_ptr<Executor> executor = TENON_TRY(load_executor_of(wiring, setup.host->pool, {}, {}));
    std::unique_ptr<Trainer> trainer = TENON_TRY(Trainer::make(wiring, setup.running, *setup.host, executor.get()));
    Taken taken = TENON_TRY(take_weights(tensors, request.renamings, trainer->learner(), request.file.string()));
    TENON_TRY(write_run(wiring, *trainer, executor.get(), request.out));
    return taken;
}

}  // namespace

std::optional<Taken> import_policy(const ImportRequest& request, Problems& problems) {
    Setup setup = set_up(request.request, problems);
    if (!problems.empty()) {
        return std::nullopt;
    }
    Result<Taken> taken = import_file(std::move(setup), request);
    if (!taken) {
        problems.push_back(std::move(taken).error());
        return std::nullopt;
    }
    return std::move(*taken);
}

}  // namespace tenon
