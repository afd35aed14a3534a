// SPDX-License-Identifier: Apache-2.0
// The work of each instruction: which kernel computes it, on which memory.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engines/compiled/scan_loop.hpp"
#include "engines/cuda/building.hpp"
#include "engines/cuda/loop_steps.hpp"
#include "engines/cuda/shapes.hpp"

namespace tenon::compiled::device {
namespace {

// The sizes of the dimensions over which the kernels of rows iterate.
std::span<const std::int64_t> row_sizes(const Op& op) {
    const std::span<const std::int64_t> x(op.in[0].shape);
    return op.code == Code::kGather         ? std::span<const std::int64_t>(op.out.shape)
           : op.code == Code::kLeastMembers ? x.subspan(1)
                                            : x.first(x.size() - 1);
}

// The recurrence of a composite; nothing if the kernel of recurrences does not support it.
std::optional<Recurrence> recurrence_of(const KnownComposite& what) {
    return what.name == "gae"            ? std::optional(Recurrence::kGae)
           : what.name == "td_lambda"    ? std::optional(Recurrence::kTdLambda)
           : what.name == "reward_to_go" ? std::optional(Recurrence::kRewardToGo)
           : what.name == "vtrace"       ? std::optional(Recurrence::kVtrace)
                                         : std::nullopt;
}

// The kernel of an operation; nothing if it has none.
std::optional<Kernel> kernel_of(const Op& op) {
    switch (op.code) {
        case Code::kSum:
        case Code::kMax:
        case Code::kMin:
            return Kernel::kReduce;
        case Code::kArgmax:
            return Kernel::kArgmax;
        case Code::kGather:
            return Kernel::kGather;
        case Code::kProduct:
            return Kernel::kProduct;
        case Code::kDraw:
            return Kernel::kDraw;
        case Code::kScanLinear:
            return Kernel::kScan;
        case Code::kComposite:
            return recurrence_of(*op.composite.what) ? std::optional(Kernel::kScan) : std::nullopt;
        case Code::kLeastMembers:
            return Kernel::kLeastMembers;
        case Code::kPatches:
            return Kernel::kPatches;
        case Code::kUnpatch:
            return Kernel::kUnpatch;
        case Code::kArgsort:
            return Kernel::kArgsort;
        case Code::kPutAlong:
            return Kernel::kPutAlong;
        case Code::kPut:
            return Kernel::kPutRow;
        case Code::kBits:
            return Kernel::kBits;
        case Code::kImport:
            return Kernel::kImport;
        default:
            return std::nullopt;
    }
}

Stored stored_as_of(DType dtype) {
    switch (dtype) {
        case DType::kF32:
            return Stored::kF32;
        case DType::kF64:
            return Stored::kF64;
        case DType::kI64:
            return Stored::kI64;
        case DType::kI32:
            return Stored::kI32;
        default:
            return Stored::kByte;
    }
}

RowsWork rows_of(const Building& at, const Op& op) {
    const View& x = op.in[0];
    const std::span<const std::int64_t> sizes = row_sizes(op);
    const bool over_members = op.code == Code::kLeastMembers;
    const std::size_t first = over_members ? 1 : 0;
    const auto strides_of = [&](const View& view) {
        return strides_from(std::span(view.strides).subspan(first, sizes.size()));
    };
    RowsWork out{};
    out.shape = shape_from(sizes);
    out.rows = product_of_sizes(sizes);
    out.x = at.start(x);
    out.x_strides = strides_of(x);
    out.out = at.start(op.out);
    out.out_strides = strides_of(op.out);
    out.n = over_members ? x.shape[0] : op.code == Code::kPutAlong ? op.out.shape.back() : x.shape.back();
    out.given = x.shape.back();
    out.x_step = over_members ? x.strides[0] : x.strides.back();
    out.out_step = over_members ? op.out.strides[0] : 1;
    if (op.code == Code::kGather || op.code == Code::kPutAlong) {
        const View& index = op.in[1];
        out.index = reinterpret_cast<const std::int64_t*>(at.start(index));
        out.index_strides = strides_of(index);
        out.index_step = index.strides.back();
    }
    out.bytes = at.bytes_of_one(op.kind);
    out.number = static_cast<std::int32_t>(op.number);
    out.fault = at.fault();
    return out;
}

// One element of a row for each place.
RowsWork put_of(const Building& at, const Op& op) {
    const std::span<const std::int64_t> places = std::span(op.out.shape).first(op.out.shape.size() - 1);
    const auto strides_of = [&](const View& view) {
        return strides_from(std::span(view.strides).first(places.size()));
    };
    RowsWork out{};
    out.shape = shape_from(places);
    out.rows = product_of_sizes(places);
    out.index = reinterpret_cast<const std::int64_t*>(at.start(op.in[0]));
    out.index_strides = strides_of(op.in[0]);
    out.x = at.start(op.in[1]);
    out.x_strides = strides_of(op.in[1]);
    out.out = at.start(op.out);
    out.out_strides = strides_of(op.out);
    out.n = op.out.shape.back();
    out.out_step = op.out.strides.back();
    out.bytes = at.bytes_of_one(op.kind);
    out.fault = at.fault();
    return out;
}

RowsWork bits_of(const Building& at, const Op& op) {
    RowsWork out{};
    out.rows = (op.kind == Kind::kInt ? op.in[0] : op.out).count();
    out.shape = shape_from(std::span(&out.rows, 1));
    out.x = at.start(op.in[0]);
    out.out = at.start(op.out);
    out.bytes = sizeof(std::int64_t);
    return out;
}

PatchWork patches_of(const Building& at, const Op& op) {
    const bool reads_images = op.code == Code::kPatches;
    const View& images = reads_images ? op.in[0] : op.out;
    const Window& window = op.window;
    const auto windows_of = [&](std::int64_t size, std::int64_t of) {
        return (size + 2 * window.padding - of) / window.stride + 1;
    };
    return {.in = reinterpret_cast<const float*>(at.start(op.in[0])),
            .out = reinterpret_cast<float*>(at.start(op.out)),
            .images = images.shape[0],
            .height = images.shape[1],
            .width = images.shape[2],
            .channels = images.shape[3],
            .rows = windows_of(images.shape[1], window.height),
            .columns = windows_of(images.shape[2], window.width),
            .window_height = static_cast<std::int32_t>(window.height),
            .window_width = static_cast<std::int32_t>(window.width),
            .stride = static_cast<std::int32_t>(window.stride),
            .padding = static_cast<std::int32_t>(window.padding),
            .fill = static_cast<float>(window.fill),
            .unused = 0};
}

ScanWork scan_of(const Building& at, const Op& op) {
    ScanWork out{};
    out.out = reinterpret_cast<float*>(at.start(op.out));
    const auto reals_at = [&](std::size_t i) { return reinterpret_cast<const float*>(at.start(op.in[i])); };
    const auto flags_at = [&](std::size_t i) { return reinterpret_cast<const std::uint8_t*>(at.start(op.in[i])); };
    if (op.code == Code::kScanLinear) {
        const std::int64_t steps = op.out.shape[0];
        out.what = Recurrence::kLinear;
        out.reverse = op.number != 0 ? 1 : 0;
        out.extents = {.outer = 1, .steps = steps, .inner = steps == 0 ? 0 : op.out.count() / steps};
        out.in.value = reals_at(0);
        out.in.reward = reals_at(1);
        return out;
    }
    out.what = *recurrence_of(*op.composite.what);
    out.extents = op.composite.extents;
    for (std::size_t i = 0; i < op.in.size(); ++i) {
        switch (op.composite.what->inputs[i]) {
            case 'R':
                out.in.reward = reals_at(i);
                break;
            case 'V':
                out.in.value = reals_at(i);
                break;
            case 'N':
                out.in.next_value = reals_at(i);
                break;
            case 'T':
                out.in.terminated = flags_at(i);
                break;
            case 'D':
                out.in.done = flags_at(i);
                break;
            case 'O':
                out.in.rho = reals_at(i);
                break;
            case 'C':
                out.in.c = reals_at(i);
                break;
            case 'G':
                out.gamma = reals_at(i);
                break;
            default:
                out.lambda = reals_at(i);
                break;
        }
    }
    return out;
}

DrawWork draw_of(const Building& at, const Op& op) {
    return {.out = reinterpret_cast<float*>(at.start(op.out)),
            .count = static_cast<std::int64_t>(op.members * op.steps * op.draw.rows * op.draw.width),
            .seed = op.draw.key.seed,
            .stream = op.draw.key.stream,
            .rows = op.draw.rows,
            .width = op.draw.width,
            .steps = op.steps,
            .normal = op.normal ? 1 : 0,
            .by_row = op.by_row ? 1 : 0,
            .numbers = reinterpret_cast<const DrawNumbers*>(at.given() + kFaultBytes)};
}

ImportWork import_of(const Building& at, const Op& op) {
    return {.from = at.base(op.in[0].buffer),
            .to = at.base(op.out.buffer),
            .count = op.out.count(),
            .stored = stored_as_of(static_cast<DType>(op.number)),
            .wanted = op.kind == Kind::kInt    ? Wanted::kInt
                      : op.kind == Kind::kBool ? Wanted::kBool
                                               : Wanted::kReal};
}

}  // namespace

Status check_kernels(const Tape& tape) {
    const Listing& listing = tape.listing();
    const auto fits = [](const View& view) { return flattened(view).shape.size() <= kMostDims; };
    for (const Instruction& instruction : tape.instructions()) {
        if (const auto* loop = std::get_if<Loop>(&instruction.what)) {
            const std::optional<LoopSteps> steps = steps_of(*loop, listing);
            if (!steps) {
                return plugin_problem("a loop of " + std::to_string(loop->steps.size()) +
                                      " operations has more values at the same time than a kernel has room for");
            }
            if (!std::ranges::all_of(steps->places, [&](const View* view) { return fits(*view); })) {
                return plugin_problem("a value has too many dimensions for a kernel");
            }
            continue;
        }
        const Op& op = listing.ops[std::get<std::uint32_t>(instruction.what)];
        if (op.code == Code::kScan) {
            TENON_TRY(check_kernels(op.scan->tape()));
            continue;
        }
        if (!kernel_of(op)) {
            return plugin_problem("the operation '" + std::string(name_of(op.code)) + "' has no kernel");
        }
        const bool has_rows = op.code != Code::kProduct && op.code != Code::kDraw && op.code != Code::kImport &&
                              op.code != Code::kScanLinear && op.code != Code::kComposite &&
                              op.code != Code::kPatches && op.code != Code::kUnpatch;
        if (has_rows && op.in[0].shape.size() > kMostDims) {
            return plugin_problem("a value of the operation '" + std::string(name_of(op.code)) +
                                  "' has too many dimensions");
        }
    }
    return {};
}

void Building::add(const Instruction& instruction, std::uint32_t number, std::uint32_t phase) {
    Launch launch;
    launch.instruction = number;
    launch.phase = phase;
    if (const auto* loop = std::get_if<Loop>(&instruction.what)) {
        if (joins_scan(*loop, launch)) {
            return;
        }
        const LoopWork work = loop_of(*loop);
        launch.work = work;
        launch.count = loop->count;
        launch.cost = loop->count * (work.step_count * kStepCost + kElementCost);
        out_.launches_.push_back(launch);
        return;
    }
    add_operation(at_->tape->listing().ops[std::get<std::uint32_t>(instruction.what)], launch);
}

// Joins a loop that only adds values to advantages, which gives the targets of a value network, to the kernel that has
// just computed the advantages.
bool Building::joins_scan(const Loop& loop, const Launch& launch) {
    if (at_ != &whole_ || out_.launches_.empty() || loop.ops.size() != 1 || loop.loads.size() != 2 ||
        loop.stores.size() != 1) {
        return false;
    }
    Launch& before = out_.launches_.back();
    const Op& op = tape_.listing().ops[loop.ops.front()];
    auto* const scan = std::get_if<ScanWork>(&before.work);
    if (scan == nullptr || scan->what != Recurrence::kGae || before.instruction + 1 != launch.instruction ||
        before.phase != launch.phase || op.code != Code::kAdd || op.kind != Kind::kReal) {
        return false;
    }
    const auto is_at = [&](const auto& part, const float* at) {
        return part.access == Access::kDense && reinterpret_cast<const float*>(start(part.view)) == at;
    };
    const Load& first = loop.loads.front();
    const Load& second = loop.loads.back();
    const bool adds_value = (is_at(first, scan->out) && is_at(second, scan->in.value)) ||
                            (is_at(second, scan->out) && is_at(first, scan->in.value));
    const std::int64_t count = scan->extents.outer * scan->extents.steps * scan->extents.inner;
    if (!adds_value || loop.count != count || loop.stores.front().access != Access::kDense) {
        return false;
    }
    const std::byte* const sums = start(loop.stores.front().view);
    const auto meets = [&](const void* at, std::size_t size) {
        const auto* const begin = static_cast<const std::byte*>(at);
        const auto bytes = static_cast<std::size_t>(count);
        return sums < begin + bytes * size && begin < sums + bytes * sizeof(float);
    };
    if (meets(scan->out, sizeof(float)) || meets(scan->in.reward, sizeof(float)) ||
        meets(scan->in.value, sizeof(float)) || meets(scan->in.next_value, sizeof(float)) ||
        meets(scan->in.terminated, 1) || meets(scan->in.done, 1)) {
        return false;
    }
    scan->sums = reinterpret_cast<float*>(start(loop.stores.front().view));
    return true;
}

void Building::add_operation(const Op& op, Launch launch) {
    if (op.code == Code::kScan) {
        add_scan(op, launch);
        return;
    }
    launch.kernel = *kernel_of(op);
    switch (op.code) {
        case Code::kDraw: {
            const DrawWork work = draw_of(*this, op);
            launch.count = work.count;
            launch.work = work;
            break;
        }
        case Code::kScanLinear:
        case Code::kComposite: {
            const ScanWork work = scan_of(*this, op);
            launch.count = work.extents.steps == 0 ? 0 : work.extents.outer * work.extents.inner;
            launch.work = work;
            break;
        }
        case Code::kProduct:
            add_product(op, launch);
            return;
        case Code::kSum:
        case Code::kMax:
        case Code::kMin:
            add_reduction(op, launch);
            return;
        case Code::kPatches:
        case Code::kUnpatch: {
            const PatchWork work = patches_of(*this, op);
            launch.count = op.out.count();
            launch.work = work;
            break;
        }
        case Code::kImport: {
            const ImportWork work = import_of(*this, op);
            launch.count = work.count;
            launch.work = work;
            break;
        }
        case Code::kPut:
        case Code::kBits: {
            const RowsWork work = op.code == Code::kPut ? put_of(*this, op) : bits_of(*this, op);
            launch.count = work.rows;
            launch.work = work;
            break;
        }
        default: {
            const RowsWork work = rows_of(*this, op);
            const bool each = op.code == Code::kArgsort || op.code == Code::kLeastMembers;
            launch.count = each ? work.rows * work.n : work.rows;
            launch.work = work;
            break;
        }
    }
    launch.cost = launch.count * kElementCost;
    if (op.code == Code::kScanLinear || op.code == Code::kComposite) {
        launch.cost *= std::get<ScanWork>(launch.work).extents.steps;
    }
    if (launch.count > 0) {
        out_.launches_.push_back(launch);
    }
}

LoopWork Building::loop_of(const Loop& loop) {
    const LoopSteps made = *steps_of(loop, at_->tape->listing());
    std::vector<Place> places;
    for (const View* view : made.places) {
        places.push_back(place_of(*view));
    }
    const auto other = std::ranges::find_if(made.steps, [](const LoopStep& step) { return step.op != kLoad; });
    return {.count = loop.count,
            .places = table(std::span<const Place>(places)),
            .steps = table(std::span<const LoopStep>(made.steps)),
            .place_count = static_cast<std::uint32_t>(places.size()),
            .step_count = static_cast<std::uint32_t>(made.steps.size()),
            .first_loads = static_cast<std::uint32_t>(other - made.steps.begin())};
}

}  // namespace tenon::compiled::device
