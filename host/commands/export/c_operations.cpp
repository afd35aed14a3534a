// SPDX-License-Identifier: Apache-2.0
#include "commands/export/c_operations.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <variant>
#include <vector>

#include "commands/export/c_panels.hpp"
#include "commands/export/c_texts.hpp"

namespace tenon {
namespace {

using compiled::Code;
using compiled::ExportedLoop;
using compiled::Kind;
using compiled::Op;
using compiled::View;

std::string text(std::int64_t number) {
    return std::to_string(number);
}

std::string counted(const std::string& variable, std::int64_t count) {
    return "for (" + variable + " = 0; " + variable + " < " + text(count) + "; ++" + variable + ") ";
}

// The offset of element `i`, of dimensions from `first` to `last`.
std::string place(std::int64_t offset, std::span<const std::int64_t> shape, std::span<const std::int64_t> strides,
                  const std::string& i) {
    std::string out = offset == 0 ? "" : text(offset);
    std::int64_t inner = 1;
    for (std::size_t d = shape.size(); d > 0; --d) {
        const std::int64_t size = shape[d - 1];
        if (size != 1 && strides[d - 1] != 0) {
            std::string at = inner == 1 ? i : i + " / " + text(inner);
            const bool outermost = std::all_of(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(d) - 1,
                                               [](std::int64_t n) { return n == 1; });
            at = outermost ? at : at + " % " + text(size);
            out += (out.empty() ? "" : " + ") + at + (strides[d - 1] == 1 ? "" : " * " + text(strides[d - 1]));
        }
        inner *= size;
    }
    return out.empty() ? "0" : out;
}

class Writing {
public:
    Writing(const compiled::ExportedProgram& program, const BufferName& name, const PanelName& panels)
        : program_(program), name_(name), panels_(panels) {}

    Status add(const std::variant<ExportedLoop, std::uint32_t>& instruction) {
        if (const auto* loop = std::get_if<ExportedLoop>(&instruction)) {
            return add_loop(*loop);
        }
        return add_operation(program_.listing.ops[std::get<std::uint32_t>(instruction)]);
    }

    std::string out;

private:
    [[nodiscard]] std::string type(Kind kind) const { return std::string(c_type(kind, program_.real)); }
    [[nodiscard]] Kind kind_of(std::uint32_t buffer) const { return program_.listing.buffers[buffer].kind; }
    [[nodiscard]] std::string at(const View& view, const std::string& i) const { return c_element(view, i, name_); }
    [[nodiscard]] std::string from(const View& view) const {
        return name_(view.buffer) + (view.offset == 0 ? "" : " + " + text(view.offset));
    }

    Status add_loop(const ExportedLoop& loop) {
        std::vector<std::string> slots(loop.slots);
        std::string body;
        int made = 0;
        const auto declare = [&](std::uint32_t slot, Kind kind, const std::string& value) {
            slots[slot] = "v" + std::to_string(made++);
            body += "    const " + type(kind) + " " + slots[slot] + " = " + value + ";\n";
        };
        for (const ExportedLoop::Element& load : loop.loads) {
            declare(load.slot, kind_of(load.view.buffer), at(load.view, "i"));
        }
        for (const ExportedLoop::Step& step : loop.steps) {
            const Op& op = program_.listing.ops[step.op];
            const std::string_view expression = c_expression(op.code, op.kind);
            if (expression.empty()) {
                return no_form(op);
            }
            const std::array<std::string, 3> operands = {slots[step.in[0]], slots[step.in[1]], slots[step.in[2]]};
            declare(step.out, result_kind(op.code, op.kind), filled(expression, operands.data()));
        }
        for (const ExportedLoop::Element& store : loop.stores) {
            body += "    " + at(store.view, "i") + " = " + slots[store.slot] + ";\n";
        }
        out += counted("i", loop.count) + "{\n" + body + "}\n";
        return {};
    }

    Status no_form(const Op& op) const {
        return input_problem("the policy cannot be exported to C: its operation " +
                             std::string(compiled::name_of(op.code)) +
                             (op.code == Code::kDraw ? ", a random number," : "") + " has no form in C");
    }

    Status add_operation(const Op& op) {
        switch (op.code) {
            case Code::kImport:
                out += counted("i", op.out.count()) + at(op.out, "i") + " = " +
                       (op.kind == Kind::kBool ? at(op.in[0], "i") + " != 0"
                                               : "(" + type(op.kind) + ")" + at(op.in[0], "i")) +
                       ";\n";
                return {};
            case Code::kSum:
            case Code::kMax:
            case Code::kMin:
                add_reduction(op);
                return {};
            case Code::kArgmax:
                add_argmax(op);
                return {};
            case Code::kGather:
                add_gather(op);
                return {};
            case Code::kPut:
                add_put(op);
                return {};
            case Code::kProduct:
                return add_product(op);
            case Code::kPatches:
                add_patches(op);
                return {};
            default:
                return no_form(op);
        }
    }

    [[nodiscard]] static std::string joined(Code code, const std::string& a, const std::string& b) {
        return code == Code::kSum ? a + " + " + b
                                  : a + " != " + a + " ? " + a + " : (" + b + " != " + b + " || " + b +
                                        (code == Code::kMax ? " > " : " < ") + a + " ? " + b + " : " + a + ")";
    }

    // Reduces in the order of core/engines/compiled/operations_reductions.cpp.
    void add_reduction(const Op& op) {
        constexpr std::int64_t kShort = 16;
        const View& x = op.in[0];
        const auto kept = static_cast<std::size_t>(op.number);
        const std::span<const std::int64_t> shape(x.shape);
        const std::span<const std::int64_t> strides(x.strides);
        std::int64_t rows = 1;
        for (const std::int64_t n : shape.first(kept)) {
            rows *= n;
        }
        const std::size_t dims = shape.size();
        const std::string source = name_(x.buffer);
        const std::string begin = place(x.offset, shape.first(kept), strides.first(kept), "i");
        const std::string to =
            name_(op.out.buffer) + "[" +
            place(op.out.offset, shape.first(kept), std::span<const std::int64_t>(op.out.strides).first(kept), "i") +
            "]";
        const bool onto = kept > 0 && strides[kept - 1] == 1 && op.out.strides[kept - 1] == 1;
        const bool few = kept == 1 && dims == 2 && shape[1] <= kShort;
        const bool chain = onto || few || op.code != Code::kSum || dims == kept;
        std::int64_t count = 1;
        const std::size_t last = chain ? dims : dims - 1;
        for (std::size_t d = kept; d < last; ++d) {
            count *= shape[d];
        }
        const std::string inner = place(0, shape.subspan(kept, last - kept), strides.subspan(kept, last - kept), "j");
        if (chain) {
            out += counted("i", rows) + "{\n    const real *x = " + source + " + " + begin +
                   ";\n    real total = x[0];\n    for (j = 1; j < " + text(count) +
                   "; ++j) {\n        const real next = x[" + inner +
                   "];\n        total = " + joined(op.code, "total", "next") + ";\n    }\n    " + to + " = total;\n}\n";
            return;
        }
        out += counted("i", rows) + "{\n    const real *x = " + source + " + " + begin +
               ";\n    double total = 0;\n    " + counted("j", count) + "{\n        const double part = sum_run(x + " +
               inner + ", " + text(strides[last]) + ", " + text(shape[last]) +
               ");\n        total = j == 0 ? part : total + part;\n    }\n    " + to + " = (real)total;\n}\n";
    }

    void add_argmax(const Op& op) {
        const View& x = op.in[0];
        const std::size_t last = x.shape.size() - 1;
        const std::span<const std::int64_t> shape(x.shape);
        std::int64_t rows = 1;
        for (const std::int64_t n : shape.first(last)) {
            rows *= n;
        }
        const std::string stride = text(x.strides[last]);
        out += counted("i", rows) + "{\n    const real *x = " + name_(x.buffer) + " + " +
               place(x.offset, shape.first(last), std::span<const std::int64_t>(x.strides).first(last), "i") +
               ";\n    long best = 0;\n    for (j = 1; j < " + text(x.shape[last]) +
               "; ++j) {\n        const real now = x[best * " + stride + "], next = x[j * " + stride +
               "];\n        if (now == now && (next != next || next > now)) best = j;\n    }\n    " +
               name_(op.out.buffer) + "[" +
               place(op.out.offset, shape.first(last), std::span<const std::int64_t>(op.out.strides).first(last), "i") +
               "] = best;\n}\n";
    }

    void add_gather(const Op& op) {
        const View& x = op.in[0];
        const std::span<const std::int64_t> shape(op.out.shape);
        const auto start = [&](const View& view) {
            return place(view.offset, shape, std::span<const std::int64_t>(view.strides).first(shape.size()), "i");
        };
        out += counted("i", op.out.count()) + "{\n    const int64_t wanted = " + name_(op.in[1].buffer) + "[" +
               start(op.in[1]) + "];\n    const int64_t at = wanted < 0 ? 0 : (wanted > " + text(x.shape.back() - 1) +
               " ? " + text(x.shape.back() - 1) + " : wanted);\n    " + name_(op.out.buffer) + "[" + start(op.out) +
               "] = " + name_(x.buffer) + "[" + start(x) + " + at * " + text(x.strides.back()) + "];\n}\n";
    }

    void add_put(const Op& op) {
        const std::span<const std::int64_t> shape = std::span(op.out.shape).first(op.out.shape.size() - 1);
        const std::string last = text(op.out.shape.back() - 1);
        const auto start = [&](const View& view) {
            return name_(view.buffer) + "[" +
                   place(view.offset, shape, std::span<const std::int64_t>(view.strides).first(shape.size()), "i");
        };
        std::int64_t count = 1;
        for (const std::int64_t n : shape) {
            count *= n;
        }
        out += counted("i", count) + "{\n    const int64_t wanted = " + start(op.in[0]) +
               "];\n    const int64_t at = wanted < 0 ? 0 : (wanted > " + last + " ? " + last + " : wanted);\n    " +
               start(op.out) + " + at * " + text(op.out.strides.back()) + "] = " + start(op.in[1]) + "];\n}\n";
    }

    // Chooses between two orders of the loops, as core/engines/compiled/kernels/products.inc does.
    Status add_product(const Op& op) {
        constexpr std::int64_t kFewRows = 3;
        constexpr std::int64_t kFewColumns = 4;
        const View& a = op.in[0];
        const View& b = op.in[1];
        const View* bias = compiled::bias_of(op);
        const std::int64_t m = a.shape[1];
        const std::int64_t k = a.shape[2];
        const std::int64_t n = b.shape[2];
        const std::int64_t lanes = program_.real == DType::kF64 ? 8 : 16;
        const bool few_rows = m <= kFewRows && b.strides[2] != 1 && b.strides[1] == 1;
        const bool few = (n <= kFewColumns || few_rows) && k >= lanes && a.strides[2] == 1;
        if (op.tail != compiled::Tail::kNone && op.tail != compiled::Tail::kRelu) {
            return no_form(op);
        }
        const auto start = [&](const View& view) {
            return from(view) + (view.strides[0] == 0 || a.shape[0] == 1 ? "" : " + z * " + text(view.strides[0]));
        };
        // A panel of few columns would be mostly padding.
        const std::int64_t whole = few ? k / lanes * lanes : 0;
        const std::string side = few && n < kPanelColumns ? "" : panels_(op, whole);
        out += counted("z", a.shape[0]) + "{\n    ";
        if (!side.empty()) {
            out += "panels(" + start(a) + ", " + text(a.strides[1]) + ", " + text(a.strides[2]) + ", " + side +
                   " + z * " + text(panel_elements(n, k)) + ", " + text(m) + ", " + text(n) + ", " + text(k) + ", " +
                   text(whole);
        } else {
            out += (few ? "dots(" : "chains(") + start(a) + ", " + text(a.strides[1]) + ", " +
                   (few ? "" : text(a.strides[2]) + ", ") + start(b) + ", " + text(b.strides[1]) + ", " +
                   text(b.strides[2]) + ", " + (bias == nullptr ? "0" : start(*bias)) + ", " + text(m) + ", " +
                   text(n) + ", " + text(k);
        }
        out += ", " + start(op.out) + ", " + text(op.out.strides[1]) + ");\n";
        if (op.tail == compiled::Tail::kRelu) {
            const std::string to = "(" + start(op.out) + ")[i * " + text(op.out.strides[1]) + " + j]";
            out += "    " + counted("i", m) + counted("j", n) + "if (" + to + " <= 0) " + to + " = 0;\n";
        }
        out += "}\n";
        return {};
    }

    void add_patches(const Op& op) {
        const View& x = op.in[0];
        const compiled::Window& w = op.window;
        const std::int64_t channels = x.shape[3];
        const std::int64_t line = x.shape[2] * channels;
        const std::int64_t down = (x.shape[1] + 2 * w.padding - w.height) / w.stride + 1;
        const std::int64_t across = (x.shape[2] + 2 * w.padding - w.width) / w.stride + 1;
        const auto fill = static_cast<float>(w.fill);
        out += "{\n    real *to = " + from(op.out) + ";\n    long y, x, u, v;\n    " + counted("z", x.shape[0]) +
               counted("y", down) + counted("x", across) + counted("u", w.height) + counted("v", w.width) +
               "{\n        const long row = y * " + text(w.stride) + " + u - " + text(w.padding) + ", column = x * " +
               text(w.stride) + " + v - " + text(w.padding) + ";\n        const int inside = row >= 0 && row < " +
               text(x.shape[1]) + " && column >= 0 && column < " + text(x.shape[2]) + ";\n        " +
               counted("j", channels) + "*to++ = inside ? (" + from(x) + ")[z * " + text(x.shape[1] * line) +
               " + row * " + text(line) + " + column * " + text(channels) +
               " + j] : " + c_number(&fill, Kind::kReal, DType::kF32) + ";\n    }\n}\n";
    }

    const compiled::ExportedProgram& program_;
    const BufferName& name_;
    const PanelName& panels_;
};

}  // namespace

std::string c_element(const compiled::View& view, const std::string& i, const BufferName& name) {
    return name(view.buffer) + "[" + place(view.offset, view.shape, view.strides, i) + "]";
}

Result<std::string> c_statements(const compiled::ExportedProgram& program, const BufferName& name,
                                 const PanelName& panels) {
    Writing writing(program, name, panels);
    for (const auto& instruction : program.instructions) {
        TENON_TRY(writing.add(instruction));
    }
    return std::move(writing.out);
}

}  // namespace tenon
