// SPDX-License-Identifier: Apache-2.0
// Links by MPI, between processes that its own launcher has started (mpirun, srun). The launcher ends all of them when
// one dies, so no process is ever gone here. The same file is compiled for each implementation.
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "compute/exec/build_id.hpp"
#include "engines/shards/link_engine.hpp"

namespace tenon::mpi {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTag = 1;
// MPI has to be polled. The first polls follow each other without a pause; later ones are further apart, so that a
// process that waits leaves its core to others.
constexpr auto kEager = std::chrono::microseconds(200);
constexpr auto kPause = std::chrono::microseconds(50);
constexpr auto kLongWait = std::chrono::milliseconds(20);
constexpr auto kLongPause = std::chrono::milliseconds(1);

Status told(int code, const std::string& what) {
    if (code == MPI_SUCCESS) {
        return {};
    }
    std::string text(MPI_MAX_ERROR_STRING, '\0');
    int size = 0;
    MPI_Error_string(code, text.data(), &size);
    text.resize(static_cast<std::size_t>(size));
    return environment_problem(what + " by " TENON_MPI_TITLE ": " + text);
}

// A message that has not left yet.
struct Outgoing {
    std::vector<std::byte> bytes;
    MPI_Request request = MPI_REQUEST_NULL;
};

class MpiLink final : public Link {
public:
    explicit MpiLink(const Meeting& meeting) : rank_(meeting.rank) {}
    ~MpiLink() override { close(std::chrono::milliseconds(0)); }

    Status send(std::size_t to, std::span<const std::byte> message) override {
        forget_sent();
        Outgoing& out = outgoing_.emplace_back();
        out.bytes.assign(message.begin(), message.end());
        return told(MPI_Isend(out.bytes.data(), static_cast<int>(out.bytes.size()), MPI_BYTE, static_cast<int>(to),
                              kTag, MPI_COMM_WORLD, &out.request),
                    "a message to shard " + std::to_string(to) + " cannot be sent");
    }

    std::optional<std::span<const std::byte>> receive(std::size_t from) override {
        int has_come = 0;
        MPI_Message message = MPI_MESSAGE_NULL;
        MPI_Status status;
        if (MPI_Improbe(static_cast<int>(from), kTag, MPI_COMM_WORLD, &has_come, &message, &status) != MPI_SUCCESS ||
            has_come == 0) {
            return std::nullopt;
        }
        int size = 0;
        MPI_Get_count(&status, MPI_BYTE, &size);
        incoming_.resize(static_cast<std::size_t>(size));
        MPI_Mrecv(incoming_.data(), size, MPI_BYTE, &message, &status);
        return incoming_;
    }

    void wait(std::size_t from, std::chrono::milliseconds limit) override {
        const auto began = Clock::now();
        for (;;) {
            int has_come = 0;
            MPI_Status status;
            MPI_Iprobe(static_cast<int>(from), kTag, MPI_COMM_WORLD, &has_come, &status);
            const auto waited = Clock::now() - began;
            if (has_come != 0 || waited >= limit) {
                return;
            }
            if (waited < kEager) {
                ::sched_yield();
            } else {
                std::this_thread::sleep_for(waited < kLongWait ? std::chrono::microseconds(kPause) : kLongPause);
            }
        }
    }

    [[nodiscard]] std::optional<std::size_t> gone() override { return std::nullopt; }

    // MPI_Finalize needs all processes. If one of them does not reach it, this one exits without it, and the launcher
    // ends the others.
    void close(std::chrono::milliseconds limit) override {
        if (std::exchange(is_closed_, true)) {
            return;
        }
        const auto end = Clock::now() + limit;
        const auto until = [&](const auto& is_done) {
            while (!is_done()) {
                if (Clock::now() >= end) {
                    return false;
                }
                std::this_thread::sleep_for(kPause);
            }
            return true;
        };
        const bool all_sent = until([&] {
            forget_sent();
            return outgoing_.empty();
        });
        MPI_Request all_here = MPI_REQUEST_NULL;
        const bool ends = all_sent && MPI_Ibarrier(MPI_COMM_WORLD, &all_here) == MPI_SUCCESS && until([&] {
                              int done = 0;
                              MPI_Test(&all_here, &done, MPI_STATUS_IGNORE);
                              return done != 0;
                          });
        if (ends) {
            MPI_Finalize();
        }
    }

    [[nodiscard]] std::string address() const override { return TENON_MPI_TITLE " rank " + std::to_string(rank_); }

private:
    void forget_sent() {
        while (!outgoing_.empty()) {
            int done = 0;
            MPI_Test(&outgoing_.front().request, &done, MPI_STATUS_IGNORE);
            if (done == 0) {
                return;
            }
            outgoing_.pop_front();
        }
    }

    std::size_t rank_;
    std::deque<Outgoing> outgoing_;
    std::vector<std::byte> incoming_;
    bool is_closed_ = false;
};

Result<std::unique_ptr<Link>> open_link(const Meeting& meeting) {
    int given = 0;
    TENON_TRY(told(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &given), "the shards cannot be linked"));
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int rank = 0;
    int count = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    if (static_cast<std::size_t>(count) != meeting.count || static_cast<std::size_t>(rank) != meeting.rank) {
        return input_problem(meeting.name + " is shard " + std::to_string(meeting.rank) + " of " +
                                 std::to_string(meeting.count) + ", but process " + std::to_string(rank) + " of " +
                                 std::to_string(count) + " for " TENON_MPI_TITLE,
                             {}, "start the shards by the mpirun of " TENON_MPI_TITLE);
    }
    return std::unique_ptr<Link>(std::make_unique<MpiLink>(meeting));
}

// "Open MPI v4.1.4", "MPICH Version: 4.0.2": the beginning of the library's own text. May be called before its begin.
Result<std::string> find() {
    std::string text(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
    int size = 0;
    TENON_TRY(told(MPI_Get_library_version(text.data(), &size), "the version cannot be read"));
    text.resize(std::min(text.find_first_of(",\n"), static_cast<std::size_t>(size)));
    std::ranges::replace(text, '\t', ' ');
    return text;
}

}  // namespace
}  // namespace tenon::mpi

extern "C" {

__attribute__((visibility("default"))) const char* tenon_module_build() {
    return tenon::build_id();
}

__attribute__((visibility("default"))) const tenon::LinkEngine* tenon_link_engine() {
    static const tenon::LinkEngine engine{
        .meets_at_endpoint = false, .find = tenon::mpi::find, .open = tenon::mpi::open_link};
    return &engine;
}
}
