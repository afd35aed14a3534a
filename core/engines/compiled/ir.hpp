// SPDX-License-Identifier: Apache-2.0
// The intermediate form of a program for one set of sizes: operations on dense memory with numeric shapes. lowering.hpp
// makes it from a graph; tape.hpp orders and fuses it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/data/dtype.hpp"
#include "compute/exec/composites.hpp"
#include "compute/exec/fused_call.hpp"
#include "compute/graph/draw.hpp"
#include "compute/graph/type.hpp"
#include "compute/parameters/network.hpp"
#include "engines/compiled/codes.hpp"

namespace tenon::compiled {

using graph::Kind;

class NextRows;
class ScanLoop;

// Which operations are fused depends on it, because a pass over memory costs more on a device.
enum class RunsOn : std::uint8_t { kCpu, kDevice };

// Which memory a buffer uses, and when its address is known.
enum class Segment : std::uint8_t {
    kScratch,    // the program's own; values that are not alive at the same time share it
    kKept,       // the program's own, not shared: copies of parameters that change meanwhile, packed weights
    kConstant,   // the program's own, filled when the program is made
    kPort,       // an input of the call
    kParameter,  // a network's slab of parameters
    kGradient,   // a network's gradient slab; while several minibatches are gathered, the program's own
    kLive,       // a number of the call: index of a live value, or one of the three below
    kOutside,    // in the body of a scan: a buffer of the outer tape
    kStep,       // the same, at a different offset in each step
};

inline constexpr std::size_t kFrames = static_cast<std::size_t>(-1);
inline constexpr std::size_t kUpdates = static_cast<std::size_t>(-2);
inline constexpr std::size_t kProgress = static_cast<std::size_t>(-3);

struct Buffer {
    Segment segment = Segment::kScratch;
    Kind kind = Kind::kReal;
    std::int64_t size = 0;                      // elements
    std::size_t index = 0;                      // of the port, network or live value
    std::size_t offset = 0;                     // elements, in a slab
    ParameterSlab slab = ParameterSlab::kLive;  // of a parameter
    std::vector<std::byte> values;              // of a constant; as bytes, large integers and -0.0 stay distinct
    std::int64_t counted = 0;  // of a constant: it is this count of elements and changes with the batch size
};

// Elements of a buffer in the order of a shape; a stride of 0 broadcasts them.
struct View {
    std::uint32_t buffer = 0;
    std::int64_t offset = 0;
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> strides;

    [[nodiscard]] std::int64_t count() const {
        std::int64_t n = 1;
        for (const std::int64_t size : shape) {
            n *= size;
        }
        return n;
    }
};

// A sliding window over an image.
struct Window {
    std::int64_t height = 1;
    std::int64_t width = 1;
    std::int64_t stride = 1;
    std::int64_t padding = 0;
    double fill = 0;  // value of the padding
};

struct KnownPass {
    const KnownComposite* what = nullptr;
    simd::Extents extents;
};

// The results are contiguous in the operation's output; each has its offset in elements.
struct KernelCall {
    std::shared_ptr<FusedCall> call;
    std::vector<std::size_t> places;
    std::size_t inputs = 0;             // how many of the operation's inputs are the kernel's
    std::vector<std::int64_t> flowing;  // backward: outputs with a gradient, which follow the inputs and outputs
    std::vector<std::int64_t> wanted;   // backward: inputs whose gradients are the results
    std::vector<std::uint8_t> bytes;    // per element, for each of the operation's inputs
    bool backward = false;
};

struct Attending {
    std::int64_t heads = 1;
    bool causal = false;
    std::int64_t window = 0;
    double scale = 1;
    std::array<bool, 3> wanted{};  // of a gradient: those of query, key and value
    bool over_time = false;        // queries are steps, and keys the rows that their windows move over
    bool in_parts = false;         // after the query: the first keys and values, then those after them
    bool padded = false;           // of a transposed first key: the space up to the next element can be read
};

struct Op {
    Code code = Code::kCopy;
    Kind kind = Kind::kReal;  // of the inputs that carry values; where and copy exist for every kind
    std::vector<View> in;
    View out;
    std::int64_t number = 0;  // reverse, count
    graph::Draw draw{};       // of a random node: its numbers that are the same for all calls, or for one call
    std::uint64_t members = 1;
    std::uint64_t steps = 1;
    KnownPass composite{};
    KernelCall fused{};
    std::shared_ptr<NextRows> next_rows{};
    std::shared_ptr<ScanLoop> scan{};
    Window window{};
    Attending attending{};
    Tail tail = Tail::kNone;
    std::uint32_t lasting = 0;  // of a product: the buffer that keeps its packed right side; 0: none
    bool normal = false;
    bool by_row = false;  // random numbers of a row depend on its number within the whole run
    std::uint32_t phase = 0;
};

// The bias row that a product adds to all its rows; null if there is none.
const View* bias_of(const Op& product);
// The input of its tail; null if there is none.
const View* tail_input_of(const Op& product);

struct Listing {
    std::vector<Buffer> buffers{1};
    std::vector<Op> ops;
};

bool is_elementwise(Code code);
// Whether an element takes many times as long as an addition: the C library's functions, and polynomials.
bool is_function(Code code);
std::string_view name_of(Code code);

// Whether the elements are contiguous and none is broadcast.
bool is_dense(const View& view);

// Whether the view covers a whole buffer of the program's own, in its order.
bool is_whole(const Listing& listing, const View& view);

View dense_view(std::uint32_t buffer, std::vector<std::int64_t> shape);

// Merges the dimensions from `first` to `last` into one; nothing if their strides do not allow it.
std::optional<View> merged(View view, std::size_t first, std::size_t last);

}  // namespace tenon::compiled
