// SPDX-License-Identifier: Apache-2.0
// A device for checks: it notices what a plugin must not do on a device, such as calling it from an enqueue_ function,
// launching on another stream, or writing outside of its memory. It does not stop the plugin; it keeps the first
// finding of each kind as a sentence.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/device/device.hpp"
#include "commands/check/guarded.hpp"

namespace tenon {

// An array of a check on the device, and the numbers that were written to it or read from it.
struct DeviceArray {
    std::string what;  // "the column 'reward'"
    void* memory = nullptr;
    std::vector<std::byte> bytes;

    // The element at the beginning, or at place `index`.
    template <class T>
    [[nodiscard]] T* as(std::size_t index = 0) {
        return reinterpret_cast<T*>(bytes.data()) + index;
    }
};

// The status that a function of the ABI returns: `done`, or, if the check has a problem, a failure with its sentence.
tn_status status_of(const Status& problem, tn_status done);

class WatchedDevice {
public:
    // "emulated" or "cuda".
    static Result<std::unique_ptr<WatchedDevice>> open(std::string_view name);
    ~WatchedDevice();
    WatchedDevice(const WatchedDevice&) = delete;
    WatchedDevice& operator=(const WatchedDevice&) = delete;

    [[nodiscard]] const tn_device& table() const { return table_; }

    // From now on only kernels can access the emulated device's memory; other code that touches it crashes.
    void hide();

    [[nodiscard]] Result<DeviceArray> array(std::size_t bytes, const std::string& what);
    [[nodiscard]] Status put(const DeviceArray& array);
    [[nodiscard]] Status get(DeviceArray& array);
    // After a call of `function`: it may have read the array, but not written to it.
    [[nodiscard]] Status expect_unchanged(const char* function, const DeviceArray& array);
    // After a call: notes that a kernel wrote outside of its memory, "enqueue_step launches a kernel that writes to
    // ..."
    void note_outside(const std::string& found);

    // Calls a function of the plugin that enqueues work on the given stream: tn_status call(const tn_stream*).
    template <class Call>
    tn_status enqueue(const char* function, const Call& call) {
        const tn_stream* const stream = begin(function);
        const tn_status done = call(stream);
        return end(done);
    }
    // The fault that kernels have reported since the last call.
    [[nodiscard]] Result<tn_fault> take_fault();

    // The first forbidden call and the first write outside of memory, as sentences; empty if there was none.
    [[nodiscard]] const std::string& forbidden() const { return forbidden_; }
    [[nodiscard]] const std::string& outside() const { return outside_; }
    // The bytes of memory that the plugin has not freed.
    [[nodiscard]] std::uint64_t held() const;

private:
    struct Piece {
        std::string what;
        std::byte* base = nullptr;  // of the zone in front of it
        std::uint64_t bytes = 0;
        bool is_of_plugin = false;
        GuardedMemory memory;  // of the emulated device
    };
    class Visible;  // makes hidden memory accessible while it exists

    explicit WatchedDevice(std::shared_ptr<Device> device);

    tn_status make(std::uint64_t bytes, const std::string& what, bool is_of_plugin, void** memory);
    void free(void* memory);
    void drop(Piece& piece);
    const tn_stream* begin(const char* function);
    tn_status end(tn_status done);
    // Notes that the plugin calls this function of the device where it is forbidden.
    void forbid(const std::string& what);
    void note_forbidden(const std::string& found);
    void inspect(const Piece& piece);
    void show(bool visible) const;
    [[nodiscard]] Status told(tn_status status) const;

    std::shared_ptr<Device> device_;
    tn_device table_{};
    std::vector<Piece> pieces_;
    DeviceArray fault_;
    // used in turn for calls, so that a stream that the plugin has kept is noticed
    std::array<tn_stream, 3> streams_{};
    std::size_t turn_ = 0;
    std::string function_;             // the function that is enqueueing; empty: none
    bool captures_ = false;            // on a GPU, whether the enqueued work is captured
    std::vector<std::string> called_;  // functions that have been called, so that their kernels are loaded
    bool is_hidden_ = false;
    std::string forbidden_;
    std::string outside_;
};

}  // namespace tenon
