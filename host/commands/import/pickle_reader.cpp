// SPDX-License-Identifier: Apache-2.0
#include "commands/import/pickle_reader.hpp"

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <utility>

namespace tenon {
namespace {

constexpr int kDeepest = 4;                 // nested dictionaries
constexpr std::size_t kMostKeys = 100'000;  // looked at: a dictionary may contain itself
constexpr std::size_t kMostExtents = 16;
constexpr std::size_t kLargestPickle = std::size_t{1}
                                       << 22;  // of a pickle; thousands of tensors need less than a megabyte
constexpr std::size_t kLongestKey = 64;        // this and the next: values may be named many times
constexpr std::size_t kLongestName = 1024;
constexpr std::string_view kOrdered = "collections.OrderedDict";
constexpr std::string_view kRebuild = "torch._utils._rebuild_tensor_v2";

enum class Kind : std::uint8_t { kOther, kMark, kNumber, kText, kGlobal, kItems, kDict, kStorage, kTensor };

// Values refer to each other by number. A dictionary has keys and values in turn.
struct Value {
    Kind kind = Kind::kOther;
    std::int64_t number = 0;
    std::string text;
    std::vector<std::uint32_t> items;
};

class Reader {
public:
    Reader(std::string_view bytes, std::string_view subject) : bytes_(bytes), subject_(subject) {}

    Result<std::vector<PickledTensor>> run() {
        while (!stopped_ && !problem_) {
            step(static_cast<unsigned char>(take(1).empty() ? '\0' : bytes_[at_ - 1]));
        }
        if (problem_) {
            return *std::move(problem_);
        }
        std::vector<PickledTensor> out;
        collect(pop(), {}, 0, out);
        if (problem_) {
            return *std::move(problem_);
        }
        return out;
    }

private:
    void fail(const std::string& what) {
        if (!problem_) {
            problem_ = input_problem(std::string(subject_) + what);
        }
    }
    void damaged() { fail(" is a damaged pickle: byte " + std::to_string(at_) + " makes no sense"); }

    // Empty, with a problem, if they are missing.
    std::string_view take(std::size_t count) {
        if (count > bytes_.size() - at_) {
            fail(" is a damaged pickle: it is cut off");
            return {};
        }
        at_ += count;
        return bytes_.substr(at_ - count, count);
    }
    std::uint64_t number(std::size_t size) {
        std::uint64_t out = 0;
        const std::string_view bytes = take(size);
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            out |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
        }
        return out;
    }
    // A signed number of at most 8 bytes.
    std::int64_t whole(std::size_t size) {
        if (size > 8) {
            damaged();
            return 0;
        }
        const std::uint64_t raw = number(size);
        const std::size_t unused = 64 - 8 * size;
        return size == 0 ? 0 : static_cast<std::int64_t>(raw << unused) >> unused;
    }
    std::string line() {
        const std::size_t end = bytes_.find('\n', at_);
        const std::string out(take(end == std::string_view::npos ? bytes_.size() - at_ + 1 : end - at_));
        take(1);
        return out;
    }

    void push(Value value) {
        stack_.push_back(static_cast<std::uint32_t>(values_.size()));
        values_.push_back(std::move(value));
    }
    void push(Kind kind, std::string text = {}) {
        push(Value{.kind = kind, .number = 0, .text = std::move(text), .items = {}});
    }
    void push_number(std::int64_t number) {
        push(Value{.kind = Kind::kNumber, .number = number, .text = {}, .items = {}});
    }

    // The number of the value; with a problem, that of an empty one if the stack is empty.
    std::uint32_t pop() {
        if (stack_.empty()) {
            damaged();
            values_.emplace_back();
            return static_cast<std::uint32_t>(values_.size() - 1);
        }
        const std::uint32_t out = stack_.back();
        stack_.pop_back();
        return out;
    }
    std::vector<std::uint32_t> pop_some(std::size_t count) {
        std::vector<std::uint32_t> out(count);
        for (std::size_t i = count; i > 0; --i) {
            out[i - 1] = pop();
        }
        return out;
    }
    std::vector<std::uint32_t> pop_to_mark() {
        std::size_t from = stack_.size();
        while (from > 0 && values_[stack_[from - 1]].kind != Kind::kMark) {
            --from;
        }
        if (from == 0) {
            damaged();
            return {};
        }
        std::vector<std::uint32_t> out = pop_some(stack_.size() - from);
        pop();
        return out;
    }
    void push_items(std::vector<std::uint32_t> items) {
        push(Value{.kind = Kind::kItems, .number = 0, .text = {}, .items = std::move(items)});
    }
    // Adds to the container on top of the stack.
    void extend(Kind kind, const std::vector<std::uint32_t>& items) {
        if (stack_.empty() || values_[stack_.back()].kind != kind || (kind == Kind::kDict && items.size() % 2 != 0)) {
            damaged();
            return;
        }
        std::vector<std::uint32_t>& all = values_[stack_.back()].items;
        all.insert(all.end(), items.begin(), items.end());
    }
    void remember(std::uint64_t key) {
        if (stack_.empty()) {
            damaged();
            return;
        }
        memo_[key] = stack_.back();
    }
    void recall(std::uint64_t key) {
        const auto found = memo_.find(key);
        if (found == memo_.end()) {
            damaged();
            return;
        }
        stack_.push_back(found->second);
    }

    void global(const std::string& name) {
        const bool storage = name.size() <= kLongestKey && name.starts_with("torch.") && name.ends_with("Storage") &&
                             name.find('.', 6) == std::string::npos;
        if (problem_) {
            return;
        }
        if (name != kOrdered && name != kRebuild && !storage) {
            fail(" wants to call " + name + ", which is refused: only tensors are read, and nothing is called");
            return;
        }
        push(Kind::kGlobal, name);
    }
    // What torch calls a persistent id: ("storage", its type, its key, a device, its length).
    void storage() {
        const Value& tuple = values_[pop()];
        if (tuple.kind != Kind::kItems || tuple.items.size() < 3 || values_[tuple.items[1]].kind != Kind::kGlobal ||
            values_[tuple.items[2]].kind != Kind::kText || values_[tuple.items[2]].text.size() > kLongestKey) {
            damaged();
            return;
        }
        const std::vector<std::uint32_t> named(tuple.items.begin() + 1, tuple.items.begin() + 3);
        push(Value{.kind = Kind::kStorage, .number = 0, .text = {}, .items = named});
    }
    void reduce() {
        const std::uint32_t arguments = pop();
        const std::uint32_t function = pop();
        const Value& called = values_[function];
        const Value& given = values_[arguments];
        const bool is_call = called.kind == Kind::kGlobal && given.kind == Kind::kItems;
        if (is_call && called.text == kOrdered) {
            push(Kind::kDict);
        } else if (is_call && called.text == kRebuild && given.items.size() >= 4) {
            const std::vector<std::uint32_t> used(given.items.begin(), given.items.begin() + 4);
            push(Value{.kind = Kind::kTensor, .number = 0, .text = {}, .items = used});
        } else {
            damaged();
        }
    }
    void stack_global() {
        const std::uint32_t name = pop();
        const std::uint32_t module = pop();
        global(values_[module].text + "." + values_[name].text);
    }

    void step(unsigned char code) {
        switch (code) {
            case 0x80:
                take(1);
                return;  // PROTO
            case 0x95:
                take(8);
                return;  // FRAME
            case 'c': {
                std::string module = line();
                global(module + "." + line());
                return;
            }  // GLOBAL
            case 0x93:
                stack_global();
                return;
            case '(':
                push(Kind::kMark);
                return;
            case '}':
                push(Kind::kDict);
                return;
            case ']':
            case ')':
                push(Kind::kItems);
                return;
            case 'N':
            case 0x88:
            case 0x89:
                push(Kind::kOther);
                return;  // None, True, False
            case 'G':
                take(8);
                push(Kind::kOther);
                return;  // a float
            case 'X':
                push(Kind::kText, std::string(take(number(4))));
                return;
            case 0x8C:
                push(Kind::kText, std::string(take(number(1))));
                return;
            case 'K':
                push_number(static_cast<std::int64_t>(number(1)));
                return;
            case 'M':
                push_number(static_cast<std::int64_t>(number(2)));
                return;
            case 'J':
                push_number(whole(4));
                return;
            case 0x8A:
                push_number(whole(number(1)));
                return;
            case 'q':
                remember(number(1));
                return;
            case 'r':
                remember(number(4));
                return;
            case 0x94:
                remember(memo_.size());
                return;
            case 'h':
                recall(number(1));
                return;
            case 'j':
                recall(number(4));
                return;
            case 't':
                push_items(pop_to_mark());
                return;
            case 0x85:
            case 0x86:
            case 0x87:
                push_items(pop_some(code - 0x84U));
                return;
            case 's': {
                const std::vector<std::uint32_t> pair = pop_some(2);
                extend(Kind::kDict, pair);
                return;
            }
            case 'u': {
                const std::vector<std::uint32_t> pairs = pop_to_mark();
                extend(Kind::kDict, pairs);
                return;
            }
            case 'a': {
                const std::vector<std::uint32_t> one = pop_some(1);
                extend(Kind::kItems, one);
                return;
            }
            case 'e': {
                const std::vector<std::uint32_t> some = pop_to_mark();
                extend(Kind::kItems, some);
                return;
            }
            case 'Q':
                storage();
                return;
            case 'R':
                reduce();
                return;
            case 'b':
                build();
                return;
            case '.':
                stopped_ = true;
                return;
            default:
                fail(" has the pickle instruction " + std::to_string(code) + ", which no file of tensors needs");
                return;
        }
    }
    // Skips attributes of a dictionary, such as the versions of modules.
    void build() {
        pop();
        if (stack_.empty() || values_[stack_.back()].kind != Kind::kDict) {
            damaged();
        }
    }

    std::optional<std::vector<std::int64_t>> numbers(std::uint32_t value) {
        if (values_[value].kind != Kind::kItems || values_[value].items.size() > kMostExtents) {
            return std::nullopt;
        }
        std::vector<std::int64_t> out;
        for (const std::uint32_t item : values_[value].items) {
            if (values_[item].kind != Kind::kNumber || values_[item].number < 0) {
                return std::nullopt;
            }
            out.push_back(values_[item].number);
        }
        return out;
    }
    void add_tensor(const Value& tensor, const std::string& name, std::vector<PickledTensor>& out) {
        const Value& storage = values_[tensor.items[0]];
        const Value& offset = values_[tensor.items[1]];
        std::optional<std::vector<std::int64_t>> shape = numbers(tensor.items[2]);
        std::optional<std::vector<std::int64_t>> strides = numbers(tensor.items[3]);
        if (storage.kind != Kind::kStorage || offset.kind != Kind::kNumber || offset.number < 0 || !shape || !strides ||
            shape->size() != strides->size()) {
            fail(" is a damaged pickle: the tensor " + name + " has no shape in a storage");
            return;
        }
        out.push_back({.name = name,
                       .storage = values_[storage.items[0]].text.substr(sizeof "torch." - 1),
                       .key = values_[storage.items[1]].text,
                       .offset = offset.number,
                       .shape = std::move(*shape),
                       .strides = std::move(*strides)});
    }
    void collect(std::uint32_t from, const std::string& prefix, int depth, std::vector<PickledTensor>& out) {
        if (depth == 0 && values_[from].kind != Kind::kDict) {
            fail(" is not a dictionary of tensors");
        }
        const std::vector<std::uint32_t>& items = values_[from].items;
        for (std::size_t i = 0; i + 1 < items.size() && !problem_; i += 2) {
            const Value& value = values_[items[i + 1]];
            const std::string name = prefix + values_[items[i]].text;
            if (++looked_at_ > kMostKeys) {
                fail(" has more than " + std::to_string(kMostKeys) + " names");
            } else if (name.size() > kLongestName) {
                fail(" has a name of more than " + std::to_string(kLongestName) + " bytes");
            } else if (value.kind == Kind::kTensor) {
                add_tensor(value, name, out);
            } else if (value.kind == Kind::kDict && depth < kDeepest) {
                collect(items[i + 1], name + ".", depth + 1, out);
            }
        }
    }

    std::string_view bytes_;
    std::string_view subject_;
    std::size_t at_ = 0;
    bool stopped_ = false;
    std::optional<Problem> problem_;
    std::vector<Value> values_;
    std::vector<std::uint32_t> stack_;
    std::unordered_map<std::uint64_t, std::uint32_t> memo_;
    std::size_t looked_at_ = 0;
};

}  // namespace

Result<std::vector<PickledTensor>> read_pickle(std::string_view bytes, std::string_view subject) {
    if (bytes.size() > kLargestPickle) {
        return input_problem(std::string(subject) + " has a pickle of " + std::to_string(bytes.size()) +
                             " bytes, more than tensors need");
    }
    return Reader(bytes, subject).run();
}

}  // namespace tenon
