// SPDX-License-Identifier: Apache-2.0
// A libnccl.so.2 for tests, between processes of one machine whose devices have memory of the host: emulated ones, and
// those of fake_driver.c. Sockets carry what is sent, while somebody asks for the state of a communicator. As with
// NCCL, a group of calls is one exchange, in which sends and receives of a pair meet in their order, and the sums of
// ncclAllReduce have another order than those of shards. At the FAKE_FAILS-th group the link fails. At the end it
// writes to FAKE_NCCL_REPORT, followed by the number of the shard, how many groups, sends, receives and sums there
// were, and how the link has ended.
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace {

using Code = int;

constexpr Code kSuccess = 0;
constexpr Code kSystemError = 2;
constexpr Code kInvalidArgument = 4;
constexpr Code kRemoteError = 6;
constexpr Code kInProgress = 7;
constexpr int kFloat32 = 7;

struct UniqueId {
    char internal[128];
};

struct Config {
    std::size_t size;
    unsigned magic;
    unsigned version;
    int blocking;
};

struct Transfer {
    std::size_t peer = 0;
    bool sends = false;
    char* at = nullptr;
    std::size_t left = 0;  // bytes
};

struct Reduction {
    float* values = nullptr;
    std::size_t count = 0;
    std::vector<std::vector<float>> others = {};  // of rank 0: what each other one has sent, by rank
};

struct Communicator {
    std::filesystem::path folder;
    std::size_t rank = 0;
    int listening = -1;
    std::vector<int> sockets;  // by rank; -1: it is not connected, or it is this one
    std::vector<Transfer> transfers = {};
    std::vector<Reduction> reductions = {};  // whose sums have not been sent
    Code code = kInProgress;
};

// The calls of the present group. All are of one communicator.
struct Calls {
    Communicator* of = nullptr;
    std::vector<Transfer> transfers;
    std::vector<Reduction> reductions;
};
thread_local Calls calls;

Communicator& communicator(void* comm) {
    return *static_cast<Communicator*>(comm);
}

sockaddr_un address_of(const Communicator& of, std::size_t rank) {
    sockaddr_un out{};
    out.sun_family = AF_UNIX;
    const std::string path = (of.folder / std::to_string(rank)).string();
    std::memcpy(out.sun_path, path.c_str(), std::min(path.size(), sizeof out.sun_path - 1));
    return out;
}

int open_socket() {
    return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

void set_asynchronous(int socket) {
    ::fcntl(socket, F_SETFL, O_NONBLOCK);
}

bool listen(Communicator& c) {
    c.listening = open_socket();
    const sockaddr_un own = address_of(c, c.rank);
    set_asynchronous(c.listening);
    return ::bind(c.listening, reinterpret_cast<const sockaddr*>(&own), sizeof own) == 0 &&
           ::listen(c.listening, static_cast<int>(c.sockets.size())) == 0;
}

// Connects to ranks before this one, which may not be listening yet, and accepts those after it.
void connect(Communicator& c) {
    for (std::size_t rank = 0; rank < c.rank; ++rank) {
        const sockaddr_un other = address_of(c, rank);
        const int socket = c.sockets[rank] < 0 ? open_socket() : -1;
        if (socket < 0) {
            continue;
        }
        if (::connect(socket, reinterpret_cast<const sockaddr*>(&other), sizeof other) == 0 &&
            ::send(socket, &c.rank, sizeof c.rank, MSG_NOSIGNAL) == sizeof c.rank) {
            c.sockets[rank] = socket;
        } else {
            ::close(socket);
        }
    }
    for (int socket = 0; (socket = ::accept4(c.listening, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
        std::size_t rank = 0;
        if (::recv(socket, &rank, sizeof rank, MSG_WAITALL) == sizeof rank && rank < c.sockets.size()) {
            c.sockets[rank] = socket;
        }
    }
    std::size_t connected = 0;
    for (const int socket : c.sockets) {
        connected += socket >= 0 ? 1 : 0;
    }
    if (connected + 1 < c.sockets.size()) {
        ::usleep(1000);
        return;
    }
    for (const int socket : c.sockets) {
        set_asynchronous(socket);
    }
    ::close(std::exchange(c.listening, -1));
    std::error_code ignored;
    std::filesystem::remove(c.folder / std::to_string(c.rank), ignored);
    std::filesystem::remove(c.folder, ignored);  // the last one does
    c.code = kSuccess;
}

// Whether it is the first one of its pair in its direction, and not through.
bool is_next(const std::vector<Transfer>& all, std::size_t index) {
    for (std::size_t i = 0; i < index; ++i) {
        if (all[i].peer == all[index].peer && all[i].sends == all[index].sends && all[i].left > 0) {
            return false;
        }
    }
    return all[index].left > 0;
}

// Waits a moment for a socket, and sends and receives what it can.
void transfer(Communicator& c) {
    std::vector<pollfd> waits;
    for (std::size_t i = 0; i < c.transfers.size(); ++i) {
        if (is_next(c.transfers, i)) {
            waits.push_back({.fd = c.sockets[c.transfers[i].peer],
                             .events = static_cast<short>(c.transfers[i].sends ? POLLOUT : POLLIN),
                             .revents = 0});
        }
    }
    ::poll(waits.data(), waits.size(), 1);
    for (std::size_t i = 0; i < c.transfers.size(); ++i) {
        Transfer& one = c.transfers[i];
        while (is_next(c.transfers, i)) {
            const int socket = c.sockets[one.peer];
            const ssize_t done =
                one.sends ? ::send(socket, one.at, one.left, MSG_NOSIGNAL) : ::recv(socket, one.at, one.left, 0);
            if (done <= 0) {
                c.code = done < 0 && (errno == EAGAIN || errno == EINTR) ? c.code : kRemoteError;
                break;
            }
            one.at += done;
            one.left -= static_cast<std::size_t>(done);
        }
    }
    std::erase_if(c.transfers, [](const Transfer& one) { return one.left == 0; });
}

void add_transfer(std::vector<Transfer>& to, std::size_t peer, bool sends, float* at, std::size_t count) {
    to.push_back({.peer = peer, .sends = sends, .at = reinterpret_cast<char*>(at), .left = count * sizeof(float)});
}

// Rank 0 receives the numbers of all others, adds them from the last one to its own, and sends the sums.
void begin_reductions(Communicator& c) {
    for (Reduction& one : c.reductions) {
        for (std::size_t rank = 1; rank < c.sockets.size() && c.rank == 0; ++rank) {
            one.others.emplace_back(one.count);
            add_transfer(c.transfers, rank, false, one.others.back().data(), one.count);
        }
        if (c.rank != 0) {
            add_transfer(c.transfers, 0, true, one.values, one.count);
        }
    }
}

void end_reductions(Communicator& c) {
    for (const Reduction& one : std::exchange(c.reductions, {})) {
        for (std::size_t i = 0; i < one.count && !one.others.empty(); ++i) {
            float sum = one.others.back()[i];
            for (std::size_t rank = one.others.size() - 1; rank > 0; --rank) {
                sum += one.others[rank - 1][i];
            }
            one.values[i] = sum + one.values[i];
        }
        for (std::size_t rank = 1; rank < c.sockets.size() && c.rank == 0; ++rank) {
            add_transfer(c.transfers, rank, true, one.values, one.count);
        }
        if (c.rank != 0) {
            add_transfer(c.transfers, 0, false, one.values, one.count);
        }
    }
}

// What has been asked.
struct Asked {
    std::atomic<unsigned> groups = 0;
    std::atomic<unsigned> sends = 0;
    std::atomic<unsigned> receives = 0;
    std::atomic<unsigned> sums = 0;
    const char* end = "not at all";
};
Asked asked;

const char* setting(const char* name) {
    const char* const text = std::getenv(name);
    return text != nullptr ? text : "";
}

void report() {
    const std::string path = setting("FAKE_NCCL_REPORT"), rank = setting("RANK");
    if (std::FILE* const file =
            path.empty() ? nullptr : std::fopen((path + "." + (rank.empty() ? "0" : rank)).c_str(), "w")) {
        std::fprintf(file, "%u %u %u %u %s\n", asked.groups.load(), asked.sends.load(), asked.receives.load(),
                     asked.sums.load(), asked.end);
        std::fclose(file);
    }
}

Code end(Communicator* c, const char* how) {
    asked.end = how;
    for (const int socket : c->sockets) {
        ::close(socket);
    }
    if (c->listening >= 0) {
        ::close(c->listening);
        std::error_code ignored;
        std::filesystem::remove_all(c->folder, ignored);
    }
    delete c;
    return kSuccess;
}

Code add_call(std::atomic<unsigned>& count, void* comm, std::size_t numbers, int type) {
    ++count;
    calls.of = &communicator(comm);
    return numbers > 0 && type == kFloat32 ? kSuccess : kInvalidArgument;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

Code ncclGetVersion(int* version) {
    *version = 23203;
    return kSuccess;
}

Code ncclGetUniqueId(UniqueId* id) {
    std::error_code code;
    const std::string form = (std::filesystem::temp_directory_path(code) / "tenon-link-XXXXXX").string();
    if (code || form.size() + 8 > sizeof sockaddr_un::sun_path) {
        return kSystemError;
    }
    std::memcpy(id->internal, form.c_str(), form.size() + 1);
    return ::mkdtemp(id->internal) == nullptr ? kSystemError : kSuccess;
}

Code ncclCommInitRankConfig(void** comm, int count, UniqueId id, int rank, Config* config) {
    const bool is_fine =
        config->size == 24 && config->magic == 0xcafebeef && config->version == 21400 && config->blocking == 0;
    auto* const out = new Communicator{.folder = id.internal,
                                       .rank = static_cast<std::size_t>(rank),
                                       .listening = -1,
                                       .sockets = std::vector<int>(static_cast<std::size_t>(count), -1)};
    *comm = out;
    std::atexit(report);
    return !is_fine ? kInvalidArgument : listen(*out) ? kInProgress : kSystemError;
}

Code ncclCommGetAsyncError(void* comm, Code* code) {
    Communicator& c = communicator(comm);
    if (c.listening >= 0) {
        connect(c);
    } else if (c.code == kInProgress) {
        transfer(c);
        if (c.transfers.empty() && c.code == kInProgress) {
            end_reductions(c);
            c.code = c.transfers.empty() ? kSuccess : kInProgress;
        }
    }
    *code = c.code;
    return kSuccess;
}

Code ncclCommFinalize(void* comm) {
    return communicator(comm).code;
}
Code ncclCommDestroy(void* comm) {
    return end(&communicator(comm), "destroyed");
}
Code ncclCommAbort(void* comm) {
    return end(&communicator(comm), "aborted");
}

Code ncclGroupStart() {
    calls = {};
    return kSuccess;
}

Code ncclGroupEnd() {
    ++asked.groups;
    if (calls.of == nullptr) {
        return kSuccess;
    }
    Communicator& c = *calls.of;
    c.transfers = std::exchange(calls.transfers, {});
    c.reductions = std::exchange(calls.reductions, {});
    begin_reductions(c);
    c.code = asked.groups == static_cast<unsigned>(std::atoi(setting("FAKE_FAILS"))) ? kRemoteError : kInProgress;
    return kInProgress;
}

Code ncclSend(const void* from, std::size_t count, int type, int peer, void* comm, void* /*stream*/) {
    add_transfer(calls.transfers, static_cast<std::size_t>(peer), true, static_cast<float*>(const_cast<void*>(from)),
                 count);
    return add_call(asked.sends, comm, count, type);
}

Code ncclRecv(void* to, std::size_t count, int type, int peer, void* comm, void* /*stream*/) {
    add_transfer(calls.transfers, static_cast<std::size_t>(peer), false, static_cast<float*>(to), count);
    return add_call(asked.receives, comm, count, type);
}

Code ncclAllReduce(const void* /*from*/, void* to, std::size_t count, int type, int /*operation*/, void* comm,
                   void* /*stream*/) {
    calls.reductions.push_back({.values = static_cast<float*>(to), .count = count});
    return add_call(asked.sums, comm, count, type);
}

const char* ncclGetErrorString(Code code) {
    return code == kRemoteError ? "another process has ended" : "a socket failed";
}
}
