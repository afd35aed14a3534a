// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/dump.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/data/shape_text.hpp"
#include "base/data/xml_text.hpp"
#include "base/file/atomic.hpp"
#include "compute/graph/text.hpp"
#include "engines/compiled/next_rows.hpp"
#include "engines/compiled/scan_loop.hpp"

namespace tenon::compiled {
namespace {

std::string_view name_of(Tail tail) {
    static constexpr auto kTails =
        std::to_array<std::string_view>({"", "relu", "where positive", "times 1 less the square of", "tanh"});
    return kTails[static_cast<std::size_t>(tail)];
}

std::string view_text(const Listing& listing, const View& view) {
    const Buffer& buffer = listing.buffers[view.buffer];
    static constexpr auto kSegments = std::to_array<std::string_view>(
        {"", "copy ", "constant ", "column ", "parameter ", "target ", "gradient ", "number ", "outside ", "step "});
    return std::string(kSegments[static_cast<std::size_t>(buffer.segment)]) + "b" + std::to_string(view.buffer) +
           (view.offset == 0 ? "" : "+" + std::to_string(view.offset)) + shape_text(view.shape);
}

// What an instruction does, reads and writes.
struct Shown {
    std::string text;
    std::vector<std::uint32_t> reads;  // buffers
    std::vector<std::uint32_t> writes;
    bool loop = false;
    bool product = false;
};

Shown shown(const Listing& listing, const Instruction& instruction) {
    Shown out;
    if (const auto* loop = std::get_if<Loop>(&instruction.what)) {
        out.loop = true;
        out.text = "loop of " + std::to_string(loop->count) + ":";
        for (const std::uint32_t op : loop->ops) {
            out.text += " " + std::string(name_of(listing.ops[op].code));
        }
        for (const Load& load : loop->loads) {
            out.reads.push_back(load.view.buffer);
        }
        for (const Store& store : loop->stores) {
            out.writes.push_back(store.view.buffer);
        }
        return out;
    }
    const Op& op = listing.ops[std::get<std::uint32_t>(instruction.what)];
    out.product = op.code == Code::kProduct;
    out.text = view_text(listing, op.out) + " = " + std::string(name_of(op.code));
    if (op.code == Code::kFused) {
        const graph::FusedKernel& kernel = op.fused.call->kernel();
        out.text += " '" + kernel.name() + "' of " + kernel.component + (op.fused.backward ? ", backward" : "");
    }
    for (const View& in : op.in) {
        out.text +=
            (&in == tail_input_of(op) ? ", " + std::string(name_of(op.tail)) + " " : " ") + view_text(listing, in);
        out.reads.push_back(in.buffer);
    }
    if (op.tail != Tail::kNone && !reads_operand(op.tail)) {
        out.text += ", " + std::string(name_of(op.tail));
    }
    if (op.lasting != 0) {
        out.text += ", the right side kept as it is laid out";
    }
    if (op.next_rows) {
        out.text += ", others " + std::to_string(kRowsAtOnce) + " at once";
    }
    if (op.scan) {
        out.text += ", " + std::to_string(op.scan->steps) + " steps" + (op.scan->backward ? ", the last first" : "");
    }
    out.writes.push_back(op.out.buffer);
    return out;
}

// The inner tape of an operation that has one.
const Tape* inner_of(const Op& op) {
    return op.next_rows ? &op.next_rows->tape() : op.scan ? &op.scan->tape() : nullptr;
}

// Appends a line and, indented below it, its parts. The buffers of an inner tape are numbered separately.
void append(std::string& out, const Listing& listing, const Instruction& instruction, const std::string& indent) {
    out += shown(listing, instruction).text + "\n";
    if (const auto* loop = std::get_if<Loop>(&instruction.what)) {
        for (const std::uint32_t op : loop->ops) {
            const Op& member = listing.ops[op];
            out += indent + view_text(listing, member.out) + " = " + std::string(name_of(member.code));
            for (const View& in : member.in) {
                out += " " + view_text(listing, in);
            }
            out += '\n';
        }
    } else if (const Tape* const inner = inner_of(listing.ops[std::get<std::uint32_t>(instruction.what)])) {
        for (const Instruction& each : inner->instructions()) {
            out += indent;
            append(out, inner->listing(), each, indent + "    ");
        }
    }
}

}  // namespace

std::string name_of(const std::string& program, const Specialised& made) {
    std::string out = program;
    for (const auto& [letter, size] :
         {std::pair{"-B", made.sizes.rows}, std::pair{"-T", made.sizes.time}, std::pair{"-L", made.sizes.lanes}}) {
        out += size > 0 ? letter + std::to_string(size) : "";
    }
    out += made.plan->variant.due != 0 ? "-due" + std::to_string(made.plan->variant.due) : "";
    out += made.plan->variant.mask ? "-mask" : "";
    return out + (made.plan->variant.weight ? "-weight" : "");
}

std::string text_of(const Listing& listing, const Instruction& instruction) {
    return shown(listing, instruction).text;
}

std::string text_of(const Specialised& made) {
    const Listing& listing = made.tape.listing();
    std::string out = "# the graph with its gradients\n" +
                      graph::text(made.update.graph, graph::Places::kShown, made.update.named_gradients);
    out += "\n# " + std::to_string(made.tape.instructions().size()) + " instructions of " +
           std::to_string(listing.ops.size()) + " operations, " + std::to_string(made.tape.scratch_bytes()) +
           " bytes of scratch memory\n";
    std::size_t number = 0;
    for (const Instruction& instruction : made.tape.instructions()) {
        out += std::to_string(number++) + " phase " + std::to_string(instruction.phase) + ": ";
        append(out, listing, instruction, "    ");
    }
    return out;
}

std::string picture_of(const Specialised& made) {
    constexpr std::size_t kLine = 18;
    constexpr std::size_t kLeft = 320;  // where the text begins; the arcs are to its left
    const Listing& listing = made.tape.listing();
    const auto& instructions = made.tape.instructions();
    std::vector<std::ptrdiff_t> writer(listing.buffers.size(), -1);
    std::string arcs;
    std::string lines;
    std::size_t widest = 0;
    for (std::size_t i = 0; i < instructions.size(); ++i) {
        const Shown line = shown(listing, instructions[i]);
        const std::size_t y = (i + 1) * kLine;
        widest = std::max(widest, line.text.size());
        std::vector<std::ptrdiff_t> from;
        for (const std::uint32_t buffer : line.reads) {
            from.push_back(writer[buffer]);
        }
        std::ranges::sort(from);
        const auto repeated = std::ranges::unique(from);
        from.erase(repeated.begin(), repeated.end());
        for (const std::ptrdiff_t at : from) {
            if (at >= 0) {
                const std::size_t above = (static_cast<std::size_t>(at) + 1) * kLine;
                const std::size_t out = std::min((y - above) / 2 + 8, kLeft - 20);
                arcs += "<path d=\"M" + std::to_string(kLeft - 8) + " " + std::to_string(above) + " c-" +
                        std::to_string(out) + " 0 -" + std::to_string(out) + " " + std::to_string(y - above) + " 0 " +
                        std::to_string(y - above) + "\"/>\n";
            }
        }
        for (const std::uint32_t buffer : line.writes) {
            writer[buffer] = static_cast<std::ptrdiff_t>(i);
        }
        lines += "<circle cx=\"" + std::to_string(kLeft - 4) + "\" cy=\"" + std::to_string(y) + "\" r=\"4\" fill=\"" +
                 (line.product ? "#c0504d"
                  : line.loop  ? "#4f81bd"
                               : "#9bbb59") +
                 "\"/><text x=\"" + std::to_string(kLeft + 6) + "\" y=\"" + std::to_string(y + 4) + "\">" +
                 std::to_string(i) + " " + xml_text(line.text) + "</text>\n";
    }
    constexpr std::size_t kLetter = 8;
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + std::to_string(kLeft + (widest + 8) * kLetter) +
           "\" height=\"" + std::to_string((instructions.size() + 2) * kLine) +
           "\" font-family=\"monospace\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
           "<g fill=\"none\" stroke=\"#999999\" stroke-width=\"0.7\">\n" +
           arcs + "</g>\n" + lines + "</svg>\n";
}

Status dump_left(const std::filesystem::path& folder, const std::string& program, const std::string& line) {
    return write_file(folder / (program + ".txt"), line + "\n");
}

Status dump(const std::filesystem::path& folder, const std::string& program, const Specialised& made) {
    const std::string name = name_of(program, made);
    Status written = write_file(folder / (name + ".txt"), text_of(made));
    return written ? write_file(folder / (name + ".svg"), picture_of(made)) : written;
}

}  // namespace tenon::compiled
