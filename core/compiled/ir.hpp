// SPDX-License-Identifier: Apache-2.0
// A program for one set of sizes: operations on dense memory, every shape a number. Made by lowering.hpp from a graph,
// put in order and fused by tape.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "data/dtype.hpp"
#include "exec/composites.hpp"
#include "exec/fused_call.hpp"
#include "graph/draw.hpp"
#include "graph/type.hpp"

namespace tenon::compiled {

using graph::Kind;

class RowsAhead;
class ScanLoop;

// Where memory lies, and when it is known where.
enum class Home : std::uint8_t {
    kScratch,    // the program's own, shared by what is not alive at the same time
    kKept,       // the program's own, not shared: copies of parameters that change meanwhile, sides that stay laid out
    kConstant,   // the program's own, filled when it is made
    kPort,       // an input of the call
    kParameter,  // a network's live slab
    kTarget,     // its target slab
    kGradient,   // a network's gradient slab; while several minibatches are gathered, the program's own
    kLive,       // a number of the call: index is that of the live value, or one of the three below
    kOutside,    // of the body of a scan: where the tape around it has it
    kStep,       // the same, elsewhere at each step
};

inline constexpr std::size_t kFrames = static_cast<std::size_t>(-1);
inline constexpr std::size_t kUpdates = static_cast<std::size_t>(-2);
inline constexpr std::size_t kProgress = static_cast<std::size_t>(-3);

struct Buffer {
    Home home = Home::kScratch;
    Kind kind = Kind::kReal;
    std::int64_t size = 0;          // elements
    std::size_t index = 0;          // of the port, network or live value
    std::size_t offset = 0;         // elements, in a slab
    std::vector<std::byte> values;  // of a constant, as they lie in memory: whole numbers and -0.0 are not others then
    std::int64_t counted = 0;       // of a constant: it is this number of elements and follows the sizes of the batch
};

// Elements of a buffer in the order of a shape; a stride of 0 repeats them.
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

enum class Code : std::uint8_t {
    // element by element, inputs of the shape of the result
    kCopy,
    kAdd,
    kSub,
    kMul,
    kDiv,
    kPow,
    kMinimum,
    kMaximum,
    kClamp,
    kNeg,
    kAbs,
    kExp,
    kLog,
    kLog1p,
    kExpm1,
    kSqrt,
    kSquare,
    kTanh,
    kSigmoid,
    kSoftplus,
    kErf,
    kErfinv,
    kRelu,
    kFloor,
    kSign,
    kSin,
    kCos,
    kWhere,
    kEq,
    kNe,
    kLt,
    kLe,
    kGt,
    kGe,
    kAnd,
    kOr,
    kNot,
    kIntToReal,
    kBoolToReal,
    kBoolToInt,
    kRealToInt,
    kRealToBool,
    kIntToBool,
    kIsIndex,      // real: whether an int is the number of the element along the last size
    kElementwise,  // how many there are; no operation
    // the others
    kImport,  // of a port in another dtype, which is `number`
    kSum,     // along the sizes where the result's is 1
    kMax,
    kMin,
    kArgmax,   // along the last size
    kGather,   // the element of the last size that an int chooses
    kProduct,  // by batch: [m, k] times [k, n], plus a row
    kDraw,
    kScanLinear,    // along the first size
    kLeastMembers,  // along the first size
    kPatches,       // of [images, height, width, channels]: [images, places, window * channels]
    kUnpatch,       // the other way round, copies of an element summed
    kArgsort,       // along the last size; number 1: the largest first
    kPutAlong,      // along the last size, elements of the first input added at the indices of the second
    kComposite,     // in one pass; inputs are dense
    kFused,         // a kernel of an author's own; inputs are dense
    kRowsAhead,     // of the value over columns the one over next columns; both dense
    kScan           // a body that runs once a step; results lie one after the other in what it writes
};

// What becomes of each element of a product before it is stored; `with` is the one in its place of the product's last
// input.
enum class Tail : std::uint8_t {
    kNone,
    kRelu,           // reads no input
    kWherePositive,  // itself where `with` is above 0, otherwise 0
    kTanhSlope       // times 1 - with * with
};

// How a window moves over an image.
struct Window {
    std::int64_t height = 1;
    std::int64_t width = 1;
    std::int64_t stride = 1;
    std::int64_t padding = 0;
    double fill = 0;  // outside of the image
};

struct KnownPass {
    const KnownComposite* what = nullptr;
    simd::Extents extents;
};

// Results lie one after the other in what the operation writes, each from its place on, in elements.
struct KernelCall {
    std::shared_ptr<FusedCall> call;
    std::vector<std::size_t> places;
    std::size_t inputs = 0;             // the first of the operation's
    std::vector<std::int64_t> flowing;  // backward: outputs whose gradients follow inputs and outputs
    std::vector<std::int64_t> wanted;   // backward: inputs whose gradients are the results
    std::vector<std::uint8_t> bytes;    // of an element of each of the operation's inputs
    bool backward = false;
};

struct Op {
    Code code = Code::kCopy;
    Kind kind = Kind::kReal;  // of the inputs that count: where and copy exist for every kind
    std::vector<View> in;
    View out;
    std::int64_t number = 0;  // reverse, count
    graph::Draw draw{};       // of a random node: what does not change from call to call, or within one
    std::uint64_t members = 1;
    std::uint64_t steps = 1;
    KnownPass composite{};
    KernelCall fused{};
    std::shared_ptr<RowsAhead> ahead{};
    std::shared_ptr<ScanLoop> scan{};
    Window window{};
    Tail tail = Tail::kNone;
    std::uint32_t lasting = 0;  // of a product: the buffer where its right side stays laid out; 0: none
    bool normal = false;
    bool by_row = false;  // rows of a random node are counted over the whole run
    std::uint32_t phase = 0;
};

// A row that a product adds to all of its own; null: none.
const View* bias_of(const Op& product);
// What its tail reads; null: nothing.
const View* tail_input_of(const Op& product);

struct Listing {
    std::vector<Buffer> buffers{1};
    std::vector<Op> ops;
};

bool is_elementwise(Code code);

// Whether the elements lie one after the other, none repeated.
bool is_dense(const View& view);

// Whether the view is all of a buffer of the program's own, in its order.
bool is_whole(const Listing& listing, const View& view);

View dense_view(std::uint32_t buffer, std::vector<std::int64_t> shape);

// One dimension in place of those from `first` to `last`; nothing where their strides do not line up.
std::optional<View> merged(View view, std::size_t first, std::size_t last);

}  // namespace tenon::compiled
