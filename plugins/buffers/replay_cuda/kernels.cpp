// SPDX-License-Identifier: Apache-2.0
// The kernels for both kinds of devices.
#include "kernels.hpp"

#include "kernels.cu"
#include "tenon/device_image.hpp"

TENON_KERNELS(replay_cuda_kernels, "replay_cuda", tenon::emulated::kernel<&replay_add_up>("replay_add_up"),
              tenon::emulated::kernel<&replay_draw_uniform>("replay_draw_uniform"),
              tenon::emulated::kernel<&replay_draw_slices>("replay_draw_slices"),
              tenon::emulated::kernel<&replay_find_largest>("replay_find_largest"),
              tenon::emulated::kernel<&replay_follow>("replay_follow"),
              tenon::emulated::kernel<&replay_draw_prioritised>("replay_draw_prioritised"),
              tenon::emulated::kernel<&replay_prioritise>("replay_prioritise"),
              tenon::emulated::kernel<&replay_refresh>("replay_refresh"),
              tenon::emulated::kernel<&replay_refresh_upper>("replay_refresh_upper"));
