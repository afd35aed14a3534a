# cmake -DOUT=headers.cpp -DROOT=... -P headers.cmake: the headers of kernels as text. Run by the build; OUT.d says of which files.
set(of_core
  base/device/either.hpp base/simd/one_normal.hpp base/simd/one_step.hpp base/simd/one_tanh.hpp base/simd/steps.hpp
  engines/compiled/codes.hpp engines/compiled/codes.inc engines/cuda/kernels.inc engines/cuda/optimiser_works.hpp
  engines/cuda/long_sums.hpp engines/cuda/work.hpp engines/compiled/generated/codes.inc engines/compiled/kernels/maps.inc
  engines/compiled/kernels/maths.inc compute/parameters/decayed.hpp compute/parameters/lerp.hpp compute/parameters/squares.hpp)
file(GLOB globbed RELATIVE "${ROOT}/core" "${ROOT}/core/engines/cuda/*.cuh" "${ROOT}/core/compute/parameters/*_step.hpp")
list(FILTER globbed EXCLUDE REGEX nvrtc_library)
list(APPEND of_core ${globbed})
set(of_sdk tenon/device_random.hpp tenon/emulated.hpp tenon/version.h tenon/version.hpp)
set(of_abi tenon/abi/device.h tenon/abi/device_sampler.h tenon/abi/random.h tenon/abi/types.h)
set(of_library algorithm chrono cmath cstddef cstdint stddef.h stdint.h type_traits)

set(entries "")
set(files "")
function(add_text name file)
  file(READ "${file}" text)
  string(APPEND entries "    {\"${name}\", R\"____(${text})____\"},\n")
  set(entries "${entries}" PARENT_SCOPE)
  set(files "${files} ${file}" PARENT_SCOPE)
endfunction()

foreach(name ${of_core})
  add_text(${name} "${ROOT}/core/${name}")
endforeach()
foreach(name ${of_sdk})
  add_text(${name} "${ROOT}/sdk/include/${name}")
endforeach()
foreach(name ${of_abi})
  add_text(${name} "${ROOT}/plugin_api/include/${name}")
endforeach()
foreach(name ${of_library})
  add_text(${name} "${ROOT}/core/engines/cuda/nvrtc_library.cuh")
endforeach()
file(WRITE "${OUT}.d" "${OUT}:${files}\n")
file(WRITE "${OUT}" "#include \"engines/cuda/headers.hpp\"

namespace tenon::compiled::device {
namespace {

constexpr KernelHeader kHeaders[] = {
${entries}};

}  // namespace

std::span<const KernelHeader> kernel_headers() {
    return kHeaders;
}

}  // namespace tenon::compiled::device
")
