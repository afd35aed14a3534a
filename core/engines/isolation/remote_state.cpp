// SPDX-License-Identifier: Apache-2.0
// "tenon.state/1" and "tenon.common/1" for instances in workers: for a range of lanes, the state from each worker,
// preceded by its size.
#include "base/data/state_stream.hpp"
#include "engines/isolation/remote.hpp"
#include "tenon/abi/common.h"
#include "tenon/abi/state.h"

namespace tenon {
namespace {

void write_blob(StateSink& out, const Bytes& bytes) {
    out.number<std::uint64_t>(bytes.size());
    out.bytes(bytes.data(), bytes.size());
}

// Saves a share: the number of restarts, whether its lanes have state, and the state that its worker has saved for
// them. A worker that ends while saving loses its lanes, as in a step; the next step restarts them.
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
    StateSink out(writer);
    out.number<std::uint32_t>(remote.beginnings());
    out.number<std::uint32_t>(share.blank ? 1 : 0);
    write_blob(out, share.blank ? Bytes() : bytes);
    return out.failure();
}

tn_status load_share(Remote& remote, Remote::Share& share, std::uint32_t first, std::uint32_t count,
                     const tn_reader& reader) {
    StateSource in(reader);
    const auto beginnings = in.number<std::uint32_t>();
    const bool blank = in.number<std::uint32_t>() != 0;
    Bytes bytes;
    if (!in.blob(bytes)) {
        return TN_DATA_LOSS;
    }
    remote.go_on_after(beginnings);
    if (blank) {
        remote.lose(share);
        return TN_OK;
    }
    share.blank = false;
    return Remote::outcome(share.worker->call(WorkerCall::kLoadState, {first, count}, bytes));
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

// The initial state of a new worker replaces that of the worker that has ended.
tn_status save_common(void* self, const tn_writer* writer) {
    Remote& remote = remote_of(self);
    Remote::Share& share = remote.shares().front();
    Bytes bytes;
    const Worker::Answer answer = share.worker->call(WorkerCall::kSaveCommon, {}, {}, &bytes);
    if (answer.alive() && answer.status == TN_OK) {
        remote.common = std::move(bytes);
    }
    const tn_status status = answer.alive() ? answer.status : remote.begin_again(share, answer.ended, "save");
    if (status != TN_OK) {
        return status;
    }
    StateSink out(*writer);
    write_blob(out, remote.common);
    return out.failure();
}

tn_status load_common(void* self, const tn_reader* reader) {
    Remote& remote = remote_of(self);
    Bytes bytes;
    StateSource in(*reader);
    if (!in.blob(bytes)) {
        return TN_DATA_LOSS;
    }
    const tn_status status = Remote::outcome(remote.shares().front().worker->call(WorkerCall::kLoadCommon, {}, bytes));
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
    static constexpr tn_common_api kTable{.struct_size = sizeof(tn_common_api),
                                          .flags = 0,
                                          .gather = gather,
                                          .save = save_common,
                                          .load = load_common,
                                          .part = nullptr,
                                          .join = nullptr};
    return &kTable;
}

}  // namespace tenon
