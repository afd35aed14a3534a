// SPDX-License-Identifier: Apache-2.0
#include "commands/check/watched_device.hpp"

#include <algorithm>
#include <cstring>

#include "compute/exec/device_engine.hpp"
#include "experience/replay/device_block.hpp"

namespace tenon {
namespace {

// The size of the zones before and after all memory, which are filled with bytes that form unusual numbers.
constexpr std::uint64_t kZone = 4 * kDeviceAligned;
constexpr int kFill = 0xC3;

WatchedDevice& watched(void* ctx) {
    return *static_cast<WatchedDevice*>(ctx);
}

}  // namespace

tn_status status_of(const Status& problem, tn_status done) {
    if (!problem) {
        say(problem.error().sentence);
        return TN_INTERNAL;
    }
    return done;
}

class WatchedDevice::Visible {
public:
    explicit Visible(const WatchedDevice& device) : device_(device) { device_.show(true); }
    Visible(const Visible&) = delete;
    Visible& operator=(const Visible&) = delete;
    ~Visible() { device_.show(false); }

private:
    const WatchedDevice& device_;
};

Result<std::unique_ptr<WatchedDevice>> WatchedDevice::open(std::string_view name) {
    std::shared_ptr<Device> device = TENON_TRY(open_device(name));
    std::unique_ptr<WatchedDevice> out(new WatchedDevice(std::move(device)));
    out->fault_ = TENON_TRY(out->array(sizeof(tn_fault), "the fault"));
    return out;
}

WatchedDevice::WatchedDevice(std::shared_ptr<Device> opened) : device_(std::move(opened)), table_(device_->table) {
    table_.ctx = this;
    table_.alloc = [](void* ctx, std::uint64_t bytes, void** memory) {
        watched(ctx).forbid("alloc of its device; memory is made in open");
        return watched(ctx).make(bytes, "its allocation of " + std::to_string(bytes) + " bytes", true, memory);
    };
    table_.free = [](void* ctx, void* memory) {
        watched(ctx).forbid("free of its device; memory is freed in open or destroy");
        watched(ctx).free(memory);
    };
    table_.read = [](void* ctx, void* host, const void* memory, std::uint64_t bytes) {
        watched(ctx).forbid("read of its device, which waits");
        const Visible visible(watched(ctx));
        Device& device = *watched(ctx).device_;
        return pass_on(device, device.table.read(device.table.ctx, host, memory, bytes));
    };
    table_.write = [](void* ctx, void* memory, const void* host, std::uint64_t bytes) {
        watched(ctx).forbid("write of its device, which waits");
        const Visible visible(watched(ctx));
        Device& device = *watched(ctx).device_;
        return pass_on(device, device.table.write(device.table.ctx, memory, host, bytes));
    };
    table_.load = [](void* ctx, const void* image, void** module) {
        watched(ctx).forbid("load of its device; kernels are loaded in open");
        Device& device = *watched(ctx).device_;
        return pass_on(device, device.table.load(device.table.ctx, image, module));
    };
    table_.kernel = [](void* ctx, void* module, const char* name, void** kernel) {
        watched(ctx).forbid("kernel of its device; kernels are loaded in open");
        Device& device = *watched(ctx).device_;
        return pass_on(device, device.table.kernel(device.table.ctx, module, name, kernel));
    };
}

tn_status WatchedDevice::make(std::uint64_t bytes, const std::string& what, bool is_of_plugin, void** memory) {
    Piece piece{.what = what, .base = nullptr, .bytes = bytes, .is_of_plugin = is_of_plugin, .memory = {}};
    const std::uint64_t all = kZone + aligned_on_device(bytes) + kZone;
    const tn_device& table = device_->table;
    if (table.device_type == TN_DEVICE_EMULATED) {
        Result<GuardedMemory> guarded = GuardedMemory::make_as(all, what);
        if (!guarded) {
            say(guarded.error().sentence);
            return TN_OUT_OF_MEMORY;
        }
        piece.memory = std::move(*guarded);
        piece.base = piece.memory.data();
    } else {
        void* made = nullptr;
        if (const tn_status status = table.alloc(table.ctx, all, &made); status != TN_OK) {
            return pass_on(*device_, status);
        }
        piece.base = static_cast<std::byte*>(made);
    }
    std::vector<std::byte> content(all, std::byte{kFill});
    std::fill_n(content.begin() + kZone, bytes, std::byte{0});
    const tn_status written = table.write(table.ctx, piece.base, content.data(), all);
    *memory = piece.base + kZone;
    pieces_.push_back(std::move(piece));
    show(false);
    return pass_on(*device_, written);
}

WatchedDevice::~WatchedDevice() {
    std::ranges::for_each(pieces_, [this](Piece& piece) { drop(piece); });
}

void WatchedDevice::free(void* memory) {
    const auto piece = std::ranges::find_if(pieces_, [&](const Piece& one) { return one.base + kZone == memory; });
    if (piece != pieces_.end()) {
        const Visible visible(*this);
        inspect(*piece);
        drop(*piece);
        pieces_.erase(piece);
    } else if (memory != nullptr) {
        note_forbidden("it frees memory that it did not get from alloc");
    }
}

void WatchedDevice::drop(Piece& piece) {
    if (piece.memory.data() == nullptr) {
        device_->table.free(device_->table.ctx, piece.base);
    }
}

void WatchedDevice::hide() {
    is_hidden_ = device_->table.device_type == TN_DEVICE_EMULATED;
    show(false);
}

void WatchedDevice::show(bool visible) const {
    for (const Piece& piece : pieces_) {
        if (is_hidden_) {
            piece.memory.allow(visible);
        }
    }
}

Status WatchedDevice::told(tn_status status) const {
    return status == TN_OK ? Status() : Status(environment_problem(std::exchange(device_->error, {})));
}

Result<DeviceArray> WatchedDevice::array(std::size_t bytes, const std::string& what) {
    DeviceArray out{.what = what, .memory = nullptr, .bytes = std::vector<std::byte>(bytes)};
    if (const tn_status made = make(bytes, what, false, &out.memory); made != TN_OK) {
        return environment_problem(device_->name + " has no memory for " + what);
    }
    return out;
}

Status WatchedDevice::put(const DeviceArray& array) {
    const Visible visible(*this);
    const tn_device& table = device_->table;
    return told(table.write(table.ctx, array.memory, array.bytes.data(), array.bytes.size()));
}

Status WatchedDevice::get(DeviceArray& array) {
    const Visible visible(*this);
    const tn_device& table = device_->table;
    return told(table.read(table.ctx, array.bytes.data(), array.memory, array.bytes.size()));
}

Status WatchedDevice::expect_unchanged(const char* function, const DeviceArray& array) {
    DeviceArray now = array;
    TENON_TRY(get(now));
    if (now.bytes != array.bytes) {
        note_outside(std::string(function) + " launches a kernel that writes to " + array.what +
                     ", which it may only read");
    }
    return {};
}

const tn_stream* WatchedDevice::begin(const char* function) {
    function_ = function;
    // the driver may load kernels in the first call, so that is not checked
    const bool is_loaded = std::ranges::find(called_, function_) != called_.end();
    if (device_->table.device_type == TN_DEVICE_CUDA && is_loaded) {
        captures_ = device_->begin_capture(*device_) == TN_OK;
    } else if (!is_loaded) {
        called_.push_back(function_);
    }
    turn_ = (turn_ + 1) % streams_.size();
    tn_stream& stream = streams_[turn_];
    stream = device_->stream;
    stream.device = &table_;
    stream.fault = static_cast<tn_fault*>(fault_.memory);
    stream.launch = [](const tn_stream* on, void* kernel, const std::uint32_t* grid, const std::uint32_t* block,
                       void* const* arguments) {
        WatchedDevice& self = watched(on->device->ctx);
        if (self.function_.empty()) {
            self.note_forbidden("it launches a kernel outside of an enqueue_ function");
        } else if (on != &self.streams_[self.turn_]) {
            self.note_forbidden(self.function_ + " launches a kernel on another stream than that of its call");
        }
        const Visible visible(self);
        Device& device = *self.device_;
        return pass_on(device, device.stream.launch(&device.stream, kernel, grid, block, arguments));
    };
    return &stream;
}

tn_status WatchedDevice::end(tn_status done) {
    if (std::exchange(captures_, false) && device_->run_captured(*device_) != TN_OK) {
        note_forbidden(function_ + " waits, allocates or uses the default stream by functions of the driver (" +
                       std::exchange(device_->error, {}) + ")");
    }
    const Visible visible(*this);
    for (const Piece& piece : pieces_) {
        inspect(piece);
    }
    function_.clear();
    return pass_on(*device_, done);
}

void WatchedDevice::forbid(const std::string& what) {
    if (!function_.empty()) {
        note_forbidden(function_ + " calls " + what);
    }
}

void WatchedDevice::note_forbidden(const std::string& found) {
    if (forbidden_.empty()) {
        forbidden_ = found;
    }
}

void WatchedDevice::note_outside(const std::string& found) {
    if (outside_.empty()) {
        outside_ = found;
    }
}

// Whether the zones are unchanged.
void WatchedDevice::inspect(const Piece& piece) {
    static const std::vector<std::byte> kWhole(kZone + kDeviceAligned, std::byte{kFill});
    const auto is_whole = [&](std::uint64_t from, std::uint64_t bytes) {
        std::array<std::byte, kZone + kDeviceAligned> now{};
        const tn_device& table = device_->table;
        const bool got = table.read(table.ctx, now.data(), piece.base + from, bytes) == TN_OK;
        return !got || std::memcmp(now.data(), kWhole.data(), bytes) == 0;
    };
    const std::string who = function_.empty() ? "it" : function_ + " launches a kernel that";
    if (!is_whole(0, kZone)) {
        note_outside(who + " writes in front of " + piece.what);
    }
    if (!is_whole(kZone + piece.bytes, aligned_on_device(piece.bytes) - piece.bytes + kZone)) {
        note_outside(who + " writes behind " + piece.what);
    }
}

Result<tn_fault> WatchedDevice::take_fault() {
    TENON_TRY(get(fault_));
    const tn_fault found = *fault_.as<tn_fault>();
    std::ranges::fill(fault_.bytes, std::byte{0});
    TENON_TRY(put(fault_));
    return found;
}

std::uint64_t WatchedDevice::held() const {
    std::uint64_t bytes = 0;
    for (const Piece& piece : pieces_) {
        bytes += piece.is_of_plugin ? piece.bytes : 0;
    }
    return bytes;
}

}  // namespace tenon
