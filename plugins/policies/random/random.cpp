// SPDX-License-Identifier: Apache-2.0
#include "random.hpp"

TENON_PLUGIN("random", "0.1.0", tenon::policy<Random>("random", "draws every action uniformly from its spec"));
