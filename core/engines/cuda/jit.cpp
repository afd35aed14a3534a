// SPDX-License-Identifier: Apache-2.0
#include "engines/cuda/jit.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "engines/cuda/arranging.hpp"
#include "engines/cuda/jit_text.hpp"

namespace tenon::compiled::device {
namespace {

constexpr std::uint64_t kMany = 500;  // uses

bool is_same(const LoopWork& a, const LoopWork& b) {
    return a.places == b.places && a.steps == b.steps && a.count == b.count;
}

}  // namespace

// kAtOnce means at the second use. By then all loops of a program have been seen, and they are compiled together.
bool Jit::is_due(std::uint64_t uses) const {
    if (device_->compile == nullptr || device_->jit == JitWhen::kNever) {
        return false;
    }
    const std::shared_ptr<JitImage> last = last_.lock();
    return uses >= (device_->jit == JitWhen::kLater ? kMany : 2) && (last == nullptr || !last->is_compiling());
}

std::shared_ptr<JitImage> Jit::compile(std::string text, std::size_t kernels) {
    auto out = std::make_shared<JitImage>(device_, std::move(text), kernels);
    last_ = out;
    return out;
}

Result<void*> Jit::kernel_of(JitImage* image, std::size_t number) {
    const bool waits = device_->jit == JitWhen::kAtOnce || device_->jit == JitWhen::kAlways;
    if (image == nullptr || (!waits && image->is_compiling())) {
        return nullptr;
    }
    const Status& ready = image->wait();
    if (!ready && device_->jit == JitWhen::kAlways) {
        return ready.error();
    }
    if (!ready && std::exchange(device_->jit, JitWhen::kNever) != JitWhen::kNever && device_->say != nullptr) {
        device_->say("the loops of updates stay interpreted: " + ready.error().sentence +
                     "; run.jit = \"off\" does not try");
    }
    return image->kernel(number);
}

Result<void*> Jit::use(Run& run, std::span<const RunStep> steps, std::span<const TableCopy> tables) {
    const auto has_loops = [&] {
        return std::ranges::any_of(steps, [](const RunStep& step) { return step.kernel == Kernel::kLoop; });
    };
    if (run.image == nullptr && is_due(++run.uses) && has_loops()) {
        std::vector<std::size_t> order;
        run.image = compile(text_of_run(arrange(steps, tables, order), tables), 1);
    }
    return kernel_of(run.image.get(), 0);
}

Result<void*> Jit::use(const LoopWork& loop, std::span<const TableCopy> tables) {
    auto found = std::ranges::find_if(loops_, [&](const Loop& known) { return is_same(known.work, loop); });
    if (found == loops_.end()) {
        found = loops_.insert(loops_.end(), Loop{.work = loop, .uses = 0, .image = nullptr, .number = 0});
    }
    if (found->image == nullptr && is_due(++found->uses)) {
        compile_loops(tables);
    }
    return kernel_of(found->image.get(), found->number);
}

void Jit::forget_loops(const TableCopy& table) {
    std::erase_if(loops_,
                  [&](const Loop& loop) { return is_in(table, reinterpret_cast<std::uintptr_t>(loop.work.places)); });
}

// Compiles all loops without a kernel together, because those of a program are used equally often.
void Jit::compile_loops(std::span<const TableCopy> tables) {
    std::vector<LoopWork> works;
    for (Loop& loop : loops_) {
        if (loop.image == nullptr) {
            loop.number = works.size();
            works.push_back(loop.work);
        }
    }
    const std::shared_ptr<JitImage> image = compile(text_of_loops(works, tables), works.size());
    for (Loop& loop : loops_) {
        loop.image = loop.image == nullptr ? image : loop.image;
    }
}

}  // namespace tenon::compiled::device
