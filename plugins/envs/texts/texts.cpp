// SPDX-License-Identifier: Apache-2.0
// Text in files as prompts and answers.
#include "file.hpp"
#include "tenon/plugin.hpp"

TENON_PLUGIN("texts", "0.1.0", tenon::env<text::File>("file", "answer the prompts of a .jsonl file or of one of text"));
