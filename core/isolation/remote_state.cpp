// SPDX-License-Identifier: Apache-2.0
// "tenon.state/1" and "tenon.common/1" of what runs in workers: of a range of lanes, what each worker has of it, with
// its number of bytes before it.
#include <algorithm>
#include <cstring>
#include <string>

#include "isolation/remote.hpp"
#include "plugin/error_text.hpp"
#include "tenon/abi/common.h"
#include "tenon/abi/state.h"

namespace tenon {
namespace {

Remote& remote_of(void* self) {
    return *static_cast<Remote*>(self);
}

tn_status outcome(const Worker::Answer& answer) {
    if (answer.alive()) {
        return answer.status;
    }
    const std::string text = "its process " + answer.ended;
    keep_error({text.data(), text.size()});
    return TN_FATAL;
}

tn_status read_all(const tn_reader& reader, void* to, std::uint64_t size) {
    auto* out = static_cast<std::byte*>(to);
    while (size > 0) {
        std::uint64_t got = 0;
        const tn_status status = reader.read(reader.ctx, out, size, &got);
        if (status != TN_OK || got == 0 || got > size) {
            return status != TN_OK ? status : TN_DATA_LOSS;
        }
        out += got;
        size -= got;
    }
    return TN_OK;
}

tn_status write_blob(const tn_writer& writer, const Bytes& bytes) {
    const std::uint64_t size = bytes.size();
    const tn_status status = writer.write(writer.ctx, &size, sizeof size);
    return status == TN_OK && size > 0 ? writer.write(writer.ctx, bytes.data(), size) : status;
}

// Grows with what is there, not with what a damaged number says.
tn_status read_blob(const tn_reader& reader, Bytes& bytes) {
    constexpr std::uint64_t kChunk = 1U << 20U;
    std::uint64_t left = 0;
    tn_status status = read_all(reader, &left, sizeof left);
    while (status == TN_OK && left > 0) {
        const std::uint64_t size = std::min(left, kChunk);
        bytes.resize(bytes.size() + size);
        status = read_all(reader, bytes.data() + bytes.size() - size, size);
        left -= size;
    }
    return status;
}

// Of a share: how many new beginnings there were, whether its lanes hold anything, and what its worker has saved of
// them.
struct SavedShare {
    std::uint32_t beginnings = 0;
    std::uint32_t blank = 0;
};

// A worker that ends while it saves has lost its lanes as it would have in a step: the next step begins them anew.
tn_status save_share(Remote& remote, Remote::Share& share, std::uint32_t first, std::uint32_t count,
                     const tn_writer& writer) {
    Bytes bytes;
    if (!share.blank) {
        const Worker::Answer answer = share.worker->call(WorkerCall::kSave, {first, count}, {}, &bytes);
        const tn_status status = answer.alive() ? answer.status : remote.begin_again(share, answer.ended, "save");
        if (status != TN_OK) {
            return status;
        }
    }
    const SavedShare saved{.beginnings = remote.beginnings(), .blank = share.blank ? 1U : 0U};
    const tn_status written = writer.write(writer.ctx, &saved, sizeof saved);
    return written == TN_OK ? write_blob(writer, share.blank ? Bytes() : bytes) : written;
}

tn_status load_share(Remote& remote, Remote::Share& share, std::uint32_t first, std::uint32_t count,
                     const tn_reader& reader) {
    SavedShare saved;
    Bytes bytes;
    tn_status status = read_all(reader, &saved, sizeof saved);
    if (status == TN_OK) {
        status = read_blob(reader, bytes);
    }
    if (status != TN_OK) {
        return status;
    }
    remote.go_on_after(saved.beginnings);
    if (saved.blank != 0) {
        remote.lose(share);
        return TN_OK;
    }
    share.blank = false;
    return outcome(share.worker->call(WorkerCall::kLoadState, {first, count}, bytes));
}

tn_status save(void* self, std::uint32_t first, std::uint32_t count, const tn_writer* writer) {
    Remote& remote = remote_of(self);
    tn_status worst = TN_OK;
    each_share(remote, first, count, [&](Remote::Share& share, std::uint32_t begin, std::uint32_t n) {
        worst = worst == TN_OK ? save_share(remote, share, begin, n, *writer) : worst;
    });
    return worst;
}

tn_status load(void* self, std::uint32_t first, std::uint32_t count, const tn_reader* reader) {
    Remote& remote = remote_of(self);
    tn_status worst = TN_OK;
    each_share(remote, first, count, [&](Remote::Share& share, std::uint32_t begin, std::uint32_t n) {
        worst = worst == TN_OK ? load_share(remote, share, begin, n, *reader) : worst;
    });
    return worst;
}

tn_status gather(void* self) {
    Remote& remote = remote_of(self);
    Remote::Share& share = remote.shares().front();
    const Worker::Answer answer = share.worker->call(WorkerCall::kGather);
    return answer.alive() ? answer.status : remote.begin_again(share, answer.ended, "gather");
}

// What a new worker has begun with stands for what the one that has ended knew.
tn_status save_common(void* self, const tn_writer* writer) {
    Remote& remote = remote_of(self);
    Remote::Share& share = remote.shares().front();
    Bytes bytes;
    const Worker::Answer answer = share.worker->call(WorkerCall::kSaveCommon, {}, {}, &bytes);
    if (answer.alive() && answer.status == TN_OK) {
        remote.common = std::move(bytes);
    }
    const tn_status status = answer.alive() ? answer.status : remote.begin_again(share, answer.ended, "save");
    return status == TN_OK ? write_blob(*writer, remote.common) : status;
}

tn_status load_common(void* self, const tn_reader* reader) {
    Remote& remote = remote_of(self);
    Bytes bytes;
    tn_status status = read_blob(*reader, bytes);
    if (status == TN_OK) {
        status = outcome(remote.shares().front().worker->call(WorkerCall::kLoadCommon, {}, bytes));
    }
    if (status == TN_OK) {
        remote.common = std::move(bytes);
    }
    return status;
}

}  // namespace

const void* remote_state() {
    static constexpr tn_state_api kTable{.struct_size = sizeof(tn_state_api), .flags = 0, .save = save, .load = load};
    return &kTable;
}

const void* remote_common() {
    static constexpr tn_common_api kTable{
        .struct_size = sizeof(tn_common_api), .flags = 0, .gather = gather, .save = save_common, .load = load_common};
    return &kTable;
}

}  // namespace tenon
