// SPDX-License-Identifier: Apache-2.0
// The readers of what others wrote: manifests, options, plugin files, tensors, saved state, run folders; and the graph
// builder, which plugins call. One more is a function, a line in kTargets, and a folder of the corpus.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "base/data/spec_abi.hpp"
#include "base/data/state_stream.hpp"
#include "config/manifest/document_text.hpp"
#include "config/manifest/options.hpp"
#include "config/manifest/override.hpp"
#include "config/manifest/parse.hpp"
#include "config/manifest/write.hpp"
#include "engines/isolation/messages.hpp"
#include "engines/quarantine/record.hpp"
#include "fuzz/graph_target.hpp"
#include "fuzz/problems.hpp"
#include "fuzz/run_target.hpp"
#include "fuzz/target.hpp"
#include "fuzz/wired_target.hpp"
#include "plugins/plugin/elf.hpp"
#include "plugins/plugin/note.hpp"
#include "shared/history/record_layout.hpp"
#include "train/checkpoint/bytes.hpp"
#include "train/checkpoint/complete.hpp"
#include "train/checkpoint/frames_file.hpp"
#include "train/checkpoint/safetensors_header.hpp"

namespace tenon::fuzz {
namespace {

using Bytes = std::span<const std::uint8_t>;

// The text up to a zero, and what follows it.
std::array<std::string, 2> parts_of(Bytes bytes) {
    const std::string_view text = text_of(bytes);
    const std::size_t end = text.find('\0');
    return {std::string(text.substr(0, end)), end == text.npos ? std::string() : std::string(text.substr(end + 1))};
}

// What a plugin could publish, for the options of whatever the manifest calls its env.
std::vector<OptionSchema> schemas() {
    std::vector<OptionSchema> out;
    for (const char* type : {"bool", "int", "float", "string", "ints", "floats", "strings", "table"}) {
        OptionSchema schema;
        schema.name = std::string("a_") + type;
        schema.type = *option_type(type);
        schema.range = schema.name.find("int") != std::string::npos ? "[-3,7)" : "";
        schema.choices = schema.name.find("string") != std::string::npos ? std::vector<std::string>{"up", "down"}
                                                                         : std::vector<std::string>();
        schema.standard = type == std::string_view("bool") ? std::optional<OptionValue>(true) : std::nullopt;
        out.push_back(std::move(schema));
    }
    return out;
}

Manifest read_text(const std::string& text, const std::string& set, Document& document, Problems& problems) {
    Result<TomlTable> root = parse_toml(text, "m.toml");
    if (!root) {
        problems.push_back(std::move(root.error()));
        return {};
    }
    document = {.root = std::move(*root), .place = {}};
    if (Status put = apply_override(document.root, {set, "--set #1"}); !put) {
        Problems refused = {put.error()};
        check_problems(refused);
    }
    return read_tables(document, problems);
}

// A manifest, a zero, and what is typed after --set.
void manifest(Bytes bytes) {
    const auto [text, set] = parts_of(bytes);
    Document document;
    Problems problems;
    const Manifest read = read_text(text, set, document, problems);
    check_problems(problems);
    (void)flatten(document);
    if (!read.env.component.schema.empty()) {
        Problems of_options;
        (void)resolve_options(read.env.component, schemas(), of_options);
        check_problems(of_options);
    }
    if (problems.empty()) {
        const std::string resolved = write_resolved(read, {});
        Document again;
        const Manifest second = read_text(resolved, "", again, problems);
        require(problems.empty(), "a resolved manifest can be read");
        require(write_resolved(second, {}) == resolved, "a resolved manifest stays as it is");
    }
}

bool same(const OptionValue& a, const OptionValue& b) {
    if (const auto* real = std::get_if<double>(&a); real != nullptr && std::isnan(*real)) {
        return std::holds_alternative<double>(b) && std::isnan(std::get<double>(b));
    }
    return a == b;
}

// A range, a zero, and a value as TOML writes it: for every type that an option may have.
void option(Bytes bytes) {
    const auto [limits, value] = parts_of(bytes);
    const std::optional<Range> range = parse_range(limits);
    for (OptionSchema schema : schemas()) {
        schema.range = range && schema.type != OptionType::kString && schema.type != OptionType::kStrings ? limits : "";
        Result<TomlTable> root = parse_toml("plugin = \"a/b\"\n" + schema.name + " = " + value, "m.toml");
        if (!root) {
            check_problems({root.error()});
            return;
        }
        ComponentTable table{.path = "env", .schema = "env", .ref = {"a/b", {}}, .options = {}, .place = {}};
        if (const TomlNode* node = root->find(schema.name)) {
            table.options.push_back({schema.name, *node});
        }
        Problems problems;
        const std::vector<OptionValue> values = resolve_options(table, {&schema, 1}, problems);
        check_problems(problems);
        require(values.size() == 1, "there is a value for each option");
        if (!problems.empty() || type_of(values.front()) == OptionType::kFloats) {
            continue;
        }
        const Result<TomlTable> again = parse_toml(schema.name + " = " + to_toml(values.front()), "again.toml");
        require(bool(again), "an option can be written as TOML");
        table.options = {{schema.name, *again->find(schema.name)}};
        require(same(resolve_options(table, {&schema, 1}, problems).front(), values.front()), "and read back");
    }
}

// A file of a plugin; or the text of its note, which begins with a brace.
void plugin(Bytes bytes) {
    if (!bytes.empty() && bytes.front() == '{') {
        const Result<Note> note = parse_note(text_of(bytes), "x.so");
        require(note || !note.error().sentence.empty(), "a refusal has a sentence");
        return;
    }
    const Result<std::string> text = find_elf_note(text_of(bytes), "x.so");
    if (!text) {
        require(!text.error().sentence.empty(), "a refusal has a sentence");
        return;
    }
    (void)parse_note(*text, "x.so");
}

// A file in memory, and its path.
class MemoryFile {
public:
    explicit MemoryFile(Bytes bytes) : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)) {
        require(descriptor_ >= 0 && ::write(descriptor_, bytes.data(), bytes.size()) == ::ssize_t(bytes.size()),
                "there is memory for the file");
    }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    ~MemoryFile() { ::close(descriptor_); }

    [[nodiscard]] std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

private:
    int descriptor_;
};

// A safetensors file: its header, its tensors, and as the frames of a recording.
void tensors(Bytes bytes) {
    const MemoryFile file(bytes);
    const Result<SafetensorsFile> opened = SafetensorsFile::open(file.path());
    if (opened) {
        std::uint64_t sum = 0;
        for (const StoredTensor& tensor : opened->tensors()) {
            const Result<std::uint64_t> size = stored_size(tensor, "it");
            require(bool(size), "a tensor of a file that was opened has a size");
            std::vector<std::byte> copy(*size);
            const Status read = opened->read(tensor.name, tensor.dtype, tensor.shape, copy.data());
            require(read || tensor.dtype == TN_BOOL, "what is there can be read, but for a bool that is neither");
            sum += *size;
        }
        require(sum <= bytes.size(), "there are no more bytes than in the file");
    }
    const Result<SavedFrames> frames = read_frames(file.path());
    require(frames || !frames.error().sentence.empty(), "a refusal has a sentence");
}

void read_some(ByteReader& in, std::uint8_t what) {
    switch (what % 10) {
        case 0:
            (void)in.enter("run", 3);
            break;
        case 1:
            in.leave();
            break;
        case 2:
            in.skip("run");
            break;
        case 3:
            (void)in.number<std::uint64_t>();
            break;
        case 4:
            (void)in.text();
            break;
        case 5:
            (void)in.numbers<double>();
            break;
        case 6:
            (void)in.boolean();
            break;
        case 8: {
            const tn_reader reader = plugin_reader(in);
            StateSource source(reader);
            std::vector<std::byte> blob;
            (void)source.blob(blob);
            (void)source.text();
            (void)source.status("x");
            break;
        }
        default:
            (void)in.left();
            break;
    }
}

// What is read, a byte each, up to a zero; then what it is read from, as a checkpoint's state.bin has it.
void state(Bytes bytes) {
    const auto end = std::find(bytes.begin(), bytes.end(), 0);
    const Bytes script = bytes.first(static_cast<std::size_t>(end - bytes.begin()));
    const Bytes rest = end == bytes.end() ? Bytes() : bytes.subspan(script.size() + 1);
    ByteReader in(std::as_bytes(rest), "state.bin");
    std::size_t depth = 0;
    for (const std::uint8_t what : script) {
        if (what % 10 == 1 && depth == 0) {
            continue;  // only sections that were entered are left
        }
        depth += what % 10 == 0 ? 1 : 0;
        depth -= what % 10 == 1 ? 1 : 0;
        read_some(in, what);
        require(in.left() <= rest.size(), "no section is longer than the stream");
    }
    const Status status = in.status();
    require(status || !status.error().sentence.empty(), "a refusal has a sentence");
}

// complete.json of a checkpoint.
void complete(Bytes bytes) {
    static const std::filesystem::path folder = [] {
        std::string name = (std::filesystem::temp_directory_path() / "tenon_fuzz_XXXXXX").string();
        require(::mkdtemp(name.data()) != nullptr, "there is a folder for it");
        return name;
    }();
    {
        const int file = ::open((folder / "complete.json").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        require(file >= 0 && ::write(file, bytes.data(), bytes.size()) == ::ssize_t(bytes.size()), "it can be written");
        ::close(file);
    }
    const Result<std::int64_t> frames = frames_in(folder);
    const Status checked = check_complete(folder, frames ? *frames : 7, Check::kBytes);
    require(checked || !checked.error().sentence.empty(), "a refusal has a sentence");
    std::error_code ignored;
    std::filesystem::remove_all(folder / "complete.json", ignored);
}

// What a worker and its host write to each other: what can be read is written as it was.
void worker(Bytes bytes) {
    const auto message = std::as_bytes(bytes);
    if (const std::optional<WorkerOrder> order = read_order(message)) {
        const tenon::Bytes again = write_order(*order);
        require(read_order(again).has_value(), "an order that was read can be written and read");
    }
    if (const std::optional<ColumnsMessage> columns = read_columns(message)) {
        require(read_columns(write_columns(*columns)).has_value(), "places that were read can be written and read");
    }
    if (const std::optional<SpecList> specs = read_specs_message(message)) {
        const Result<Composite> read = read_specs(specs->data(), specs->size(), "it");
        require(read || !read.error().sentence.empty(), "a refusal has a sentence");
    }
}

// What is kept of a plugin file that was loaded once.
void record(Bytes bytes) {
    if (const std::optional<LoadingRecord> read = read_record(text_of(bytes))) {
        const std::optional<LoadingRecord> again = read_record(write_record(*read));
        require(again && again->stamp == read->stamp && again->end == read->end, "a record that was read can be kept");
    }
}

// A line of metrics.jsonl, laid out by its own names.
void metrics(Bytes bytes) {
    const std::string_view line = text_of(bytes);
    std::vector<std::string_view> names;
    if (!names_of_record(line, names)) {
        return;
    }
    RecordLayout layout;
    std::size_t size = 0;
    for (const std::string_view name : names) {
        size += name.size();
        layout.values.push_back(
            {(layout.values.empty() ? "{\"" : ",\"") + std::string(name) + "\":", layout.values.size()});
    }
    require(size <= line.size(), "names are parts of the line");
    std::vector<double> row(names.size());
    require(read_record(line, layout, row), "a record is read by its own names");
    for (RecordLayout::Value& value : layout.values) {
        value.column = RecordLayout::kUnread;
    }
    require(read_record(line, layout, row), "and so it is if nobody wants its numbers");
}

// As long as so many inputs of a parser take one that is wired, and a run that is loaded and resumed.
constexpr std::uint64_t kWiring = 40;
constexpr std::uint64_t kResuming = 200;

constexpr std::array kTargets = {
    Target{"manifest", manifest},
    Target{"option", option},
    Target{"plugin", plugin},
    Target{"tensors", tensors},
    Target{"state", state},
    Target{"complete", complete},
    Target{"worker", worker},
    Target{"record", record},
    Target{"graph", graph},
    Target{"metrics", metrics},
    Target{"wired_manifest", wired_manifest, kWiring, shipped_manifests, mutate_wired_manifest},
    Target{"run_folder", run_folder, kResuming, files_of_a_run, mutate_run_folder}};

}  // namespace

std::span<const Target> targets() {
    return kTargets;
}

}  // namespace tenon::fuzz

#ifdef TENON_FUZZ_TARGET
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    for (const tenon::fuzz::Target& target : tenon::fuzz::targets()) {
        if (std::strcmp(target.name, TENON_FUZZ_TARGET) == 0) {
            target.run({data, size});
        }
    }
    return 0;
}
#endif
