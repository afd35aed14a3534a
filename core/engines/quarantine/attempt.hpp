// SPDX-License-Identifier: Apache-2.0
// Loads a plugin file in a separate process.
#pragma once

#include <filesystem>
#include <string>

namespace tenon {

struct Attempt {
    enum class Outcome {
        kSound,
        kRefused,  // in an orderly way: an undefined symbol, or init fails
        kEnded,    // the file has ended the process
        kStopped,  // another process has ended it
        kUntried,  // no process could be started
    };
    Outcome outcome = Outcome::kUntried;
    std::string text;  // "was ended by SIGSEGV in init"; of a refusal, its sentence; of kUntried, the reason
};

// Maps the file, checks and initialises it, asks for its components and unloads it, in a separate process that is
// killed after this many seconds.
Attempt try_loading(const std::filesystem::path& file, double seconds);

}  // namespace tenon
