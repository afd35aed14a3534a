// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/program_numbers.hpp"

#include <type_traits>
#include <utility>
#include <variant>

#include "engines/compiled/next_rows.hpp"
#include "engines/compiled/scan_loop.hpp"

namespace tenon::compiled {
namespace {

class Enumeration {
public:
    ProgramNumbers through(Specialised& program) {
        tape(program.tape);
        all(program.losses);
        all(program.effects);
        for (std::vector<Seen>& list : program.gradients) {
            all(list);
        }
        for (SeenState& state : program.states) {
            view(state.value.view);
        }
        for (Snapshot& snapshot : program.snapshots) {
            view(snapshot.from);
            view(snapshot.to);
        }
        return std::move(out_);
    }

private:
    template <class T>
    void mark(T value) {
        if constexpr (std::is_pointer_v<T>) {
            out_.marks.push_back(reinterpret_cast<std::intptr_t>(value));
        } else {
            out_.marks.push_back(static_cast<std::int64_t>(value));
        }
    }

    // Signed and unsigned 8-byte numbers.
    template <class T>
    void number(T& value) {
        static_assert(std::is_integral_v<T> && sizeof(T) == sizeof(std::int64_t));
        out_.numbers.push_back(reinterpret_cast<std::int64_t*>(&value));
    }

    void view(View& of) {
        mark(of.buffer);
        mark(of.shape.size());
        number(of.offset);
        for (std::vector<std::int64_t>* list : {&of.shape, &of.strides}) {
            for (std::int64_t& each : *list) {
                number(each);
            }
        }
    }

    void all(std::vector<Seen>& list) {
        mark(list.size());
        for (Seen& seen : list) {
            view(seen.view);
        }
    }

    void tape(Tape& of) {
        mark(of.listing().buffers.size());
        for (Buffer& each : of.listing().buffers) {
            buffer(each);
        }
        mark(of.listing().ops.size());
        for (Op& each : of.listing().ops) {
            op(each);
        }
        mark(of.instructions().size());
        for (Instruction& each : of.instructions()) {
            mark(each.phase);
            if (auto* one = std::get_if<Loop>(&each.what)) {
                loop(*one);
            } else {
                mark(std::get<std::uint32_t>(each.what));
            }
        }
    }

    void buffer(Buffer& of) {
        mark(of.segment);
        mark(of.kind);
        mark(of.index);
        mark(of.offset);
        number(of.size);
        number(of.counted);
        mark(of.values.size());
        for (std::size_t i = 0; i < of.values.size() && of.counted == 0; ++i) {
            mark(of.values[i]);
        }
    }

    void op(Op& of) {
        mark(of.code);
        mark(of.kind);
        mark(of.tail);
        mark(of.lasting);
        mark(of.normal);
        mark(of.by_row);
        mark(of.phase);
        mark(of.in.size());
        for (View& in : of.in) {
            view(in);
        }
        view(of.out);
        number(of.number);
        number(of.draw.rows);
        number(of.draw.width);
        number(of.members);
        number(of.steps);
        mark(of.composite.what);
        number(of.composite.extents.outer);
        number(of.composite.extents.steps);
        number(of.composite.extents.inner);
        for (std::size_t& place : of.fused.places) {
            number(place);
        }
        if (of.fused.call) {
            of.fused.call->each_size([this](auto& size) { number(size); });
        }
        if (of.next_rows) {
            number(of.next_rows->sizes().rows);
            number(of.next_rows->sizes().time);
            number(of.next_rows->sizes().lanes);
        }
        if (of.scan) {
            scan(*of.scan);
        }
    }

    void scan(ScanLoop& of) {
        number(of.steps);
        for (Passage& passage : of.passages) {
            mark(passage.what);
            mark(passage.buffer);
            mark(passage.input);
            number(passage.place);
            number(passage.stride);
        }
        tape(of.tape());
    }

    void loop(Loop& of) {
        number(of.count);
        mark(of.slots);
        for (const std::uint32_t each : of.ops) {
            mark(each);
        }
        for (Load& load : of.loads) {
            view(load.view);
            mark(load.access);
            mark(load.slot);
        }
        for (const Step& step : of.steps) {
            mark(step.map);
            mark(step.out);
            for (const std::uint32_t in : step.in) {
                mark(in);
            }
        }
        for (Store& store : of.stores) {
            view(store.view);
            mark(store.access);
            mark(store.slot);
        }
    }

    ProgramNumbers out_;
};

}  // namespace

ProgramNumbers numbers_of(Specialised& program) {
    return Enumeration().through(program);
}

}  // namespace tenon::compiled
