// SPDX-License-Identifier: Apache-2.0
// The targets without libFuzzer:  fuzz_replay CORPUS [--rounds N] [--seed N] [TARGET...]
// runs every file in CORPUS/<target>/, then N inputs made of them (fewer for a target whose inputs take long), the same
// ones each time. An input that crashes, takes two minutes or 2 GiB is left in crash-<target>; it becomes a file of the
// corpus once the cause is mended.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz/target.hpp"

namespace {

using tenon::fuzz::Input;
namespace fs = std::filesystem;

constexpr unsigned kMostSeconds = 120;      // for one input; most take less than a tenth
constexpr std::int64_t kMostMemory = 2048;  // MiB of all inputs

// For the handler of signals: what runs.
const Input* running = nullptr;
std::array<char, 64> crash_file{};

void leave_input(int signal) {
    const int file = ::open(crash_file.data(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file >= 0 && running != nullptr) {
        [[maybe_unused]] const auto written = ::write(file, running->data(), running->size());
    }
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

// MiB that this process has had in memory at the same time.
std::int64_t most_memory() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss >> 10;
}

void run(const tenon::fuzz::Target& target, const Input& input) {
    running = &input;
    ::alarm(kMostSeconds);
    target.run(input);
    ::alarm(0);
    tenon::fuzz::require(most_memory() <= kMostMemory, "no input takes more than 2 GiB");
    running = nullptr;
}

Input read(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

bool run_target(const tenon::fuzz::Target& target, const fs::path& corpus, std::uint64_t rounds, std::uint64_t seed) {
    std::vector<fs::path> files;
    std::error_code missing;
    for (const fs::directory_entry& entry : fs::directory_iterator(corpus / target.name, missing)) {
        files.push_back(entry.path());
    }
    if (files.empty()) {
        std::cerr << "no corpus in " << (corpus / target.name).string() << '\n';
        return false;
    }
    std::sort(files.begin(), files.end());
    const std::string crash = std::string("crash-") + target.name;
    std::copy_n(crash.c_str(), crash.size() + 1, crash_file.begin());
    std::vector<Input> inputs;
    for (const fs::path& file : files) {
        inputs.push_back(read(file));
        run(target, inputs.back());
    }
    if (target.more != nullptr) {
        std::ranges::move(target.more(), std::back_inserter(inputs));
    }
    rounds = (rounds + target.cost - 1) / target.cost;
    tenon::fuzz::Random random(seed);
    for (std::uint64_t round = 0; round < rounds; ++round) {
        Input input = inputs[random() % inputs.size()];
        for (std::uint64_t i = 1 + random() % 6; i > 0; --i) {
            target.mutate(input, inputs[random() % inputs.size()], random);
        }
        run(target, input);
    }
    std::cout << target.name << ": " << files.size() << " files, " << rounds << " made of them, at most "
              << most_memory() << " MiB\n";
    return true;
}

// Takes an option and its number from the words.
std::uint64_t take_number(std::vector<std::string>& words, const char* name, std::uint64_t otherwise) {
    const auto option = std::find(words.begin(), words.end(), name);
    if (option == words.end() || option + 1 == words.end()) {
        return otherwise;
    }
    const std::uint64_t out = std::stoull(option[1]);
    words.erase(option, option + 2);
    return out;
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> words(argv + 1, argv + argc);
    const std::uint64_t rounds = take_number(words, "--rounds", 2000);
    const std::uint64_t seed = take_number(words, "--seed", 1);
    if (words.empty()) {
        std::cerr << "fuzz_replay CORPUS [--rounds N] [--seed N] [TARGET...]\n";
        return 2;
    }
    for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM}) {
        std::signal(signal, leave_input);
    }
    bool fine = true;
    for (const tenon::fuzz::Target& target : tenon::fuzz::targets()) {
        if (words.size() == 1 || std::find(words.begin() + 1, words.end(), target.name) != words.end()) {
            fine = run_target(target, words.front(), rounds, seed) && fine;
        }
    }
    return fine ? 0 : 1;
}
