// SPDX-License-Identifier: Apache-2.0
#include "commands/explain/explain_parts.hpp"

#include <optional>

#include "config/option/schema.hpp"
#include "experience/replay/storage.hpp"
#include "train/plan/storage_size.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

std::string mixture_of(const BufferTable& buffer) {
    std::string out;
    for (const MixTable& part : buffer.mix) {
        out += (out.empty() ? "" : ", ") + to_toml(OptionValue(part.fraction)) + " of " + part.buffer;
    }
    return out;
}

std::string collected_frames(const Wiring& w, const BufferPlan& buffer) {
    const std::string frames = std::to_string(buffer_frames(w));
    const std::string begins = buffer.table->init.empty() ? "" : ", which begin with those of " + buffer.table->init;
    return (buffer.keeps() ? frames + " of the run at most" : "the newest " + frames + " of the run") + begins;
}

std::uint64_t bytes_of_frames(const Storage& frames) {
    std::uint64_t row = 3;  // terminated, truncated, is_init
    for (const StorageColumn& column : frames.columns()) {
        row += row_bytes(column);
    }
    return row * frames.view().total;
}

}  // namespace

std::vector<ExplainedBuffer> buffers_of(const Wiring& wiring, const Running& running) {
    std::vector<ExplainedBuffer> out;
    for (std::size_t i = 0; i < wiring.buffers.size(); ++i) {
        const BufferPlan& buffer = wiring.buffers[i];
        const BufferTable& table = *buffer.table;
        if (table.name.empty()) {
            continue;
        }
        ExplainedBuffer& told = out.emplace_back();
        told.name = table.name;
        if (buffer.part == nullptr) {
            told.frames = mixture_of(table);
            continue;
        }
        told.sampler = buffer.part->info.name;
        if (buffer.collects()) {
            told.frames = collected_frames(wiring, buffer);
        } else if (const std::optional<Storage>& frames = running.frames[i]) {
            const bool on_disk = table.init.empty();
            told.frames = std::to_string(frames->view().total) + " of " + (on_disk ? table.path : table.init);
            told.bytes = on_disk ? 0 : bytes_of_frames(*frames);
        }
    }
    return out;
}

}  // namespace tenon
