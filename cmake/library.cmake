# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
#
# libtenon.so.1 from src/. Its objects are targets of their own, because the tests link them to reach hidden symbols,
# and because each group has its own precompiled header: external headers that nearly all of its files include, and
# none of ours, so that it is seldom rebuilt.
#
# Sources are listed relative to the repository, so that the patterns below do not match the names of folders above it.
file(GLOB_RECURSE sources RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*.cpp)
list(FILTER sources EXCLUDE REGEX "(_test\\.cpp$|^src/layers/.*_cuda\\.cpp$|^src/backends/cuda/)")
list(APPEND sources ${lists})
set(standard_headers <algorithm> <array> <cmath> <cstring> <functional> <map> <memory> <optional> <span> <string>
                     <unordered_map> <variant> <vector>)

# All objects of the library; and what they are compiled and linked with.
add_library(tenon_objects INTERFACE)
add_library(tenon_dependencies INTERFACE)
target_include_directories(tenon_dependencies INTERFACE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(tenon_dependencies INTERFACE onednn nlohmann_json::nlohmann_json OpenMP::OpenMP_CXX
                                                   ${CMAKE_DL_LIBS})
target_link_libraries(tenon_objects INTERFACE tenon_dependencies)
target_compile_definitions(tenon_dependencies INTERFACE TENON_VERSION="${PROJECT_VERSION}")

# tenon_group(NAME PATTERN HEADER...) selects the matching sources.
function(tenon_group name pattern)
  set(mine ${sources})
  list(FILTER mine INCLUDE REGEX ${pattern})
  list(FILTER sources EXCLUDE REGEX ${pattern})
  set(sources ${sources} PARENT_SCOPE)
  if(mine)
    add_library(tenon_${name} OBJECT ${mine})
    target_link_libraries(tenon_${name} PUBLIC tenon_dependencies)
    target_precompile_headers(tenon_${name} PRIVATE ${standard_headers} ${ARGN})
    target_sources(tenon_objects INTERFACE $<TARGET_OBJECTS:tenon_${name}>)
    set(${name}_sources ${mine} PARENT_SCOPE)
  endif()
endfunction()

tenon_group(kernels "(^src/backends/.*/|_cpu\\.cpp$|_avx2\\.cpp$|_avx512\\.cpp$)" <dnnl.hpp>)
tenon_group(onnx "(^src/onnx/|_onnx\\.cpp$|onnx_importer_list)")
tenon_group(core ".")

# Files that use TensorRT's API see the classes of all its levels.
set(api_sources ${core_sources})
list(FILTER api_sources INCLUDE REGEX "(^src/trt/|_trt\\.cpp$)")
set_source_files_properties(${api_sources} PROPERTIES COMPILE_DEFINITIONS TENON_ALL_LEVELS)

# Kernels are loops, and only -O3 vectorizes those whose trip count is unknown; everything else is as fast at the
# preset's -O2 and compiles faster. Sanitized builds keep their own level. Nothing here reads errno after sqrtf() or the
# floating point exception flags; preserving them would prevent vectorization. From GCC 13 on, loops of a single sum
# multiply and add separately while others use FMA, which would round differently.
if(kernels_sources)
  target_compile_options(tenon_kernels PRIVATE $<$<CONFIG:Release>:-O3> -fno-math-errno -fno-trapping-math
                                               $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=avoid-fma-max-bits=0>)
endif()
foreach(kernel IN LISTS kernels_sources)
  if(kernel MATCHES "_avx(2|512)\\.cpp$")
    set(flags -mavx2 -mfma -mf16c)
    if(kernel MATCHES "_avx512")
      list(APPEND flags -mavx512f -mavx512bw -mavx512vl -mavx512dq)
    endif()
    # On other processors the guard of a file that is not generated leaves it empty.
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
      set_source_files_properties(${kernel} PROPERTIES COMPILE_OPTIONS "${flags}" SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endif()
endforeach()

add_library(tenon SHARED)
target_link_libraries(tenon PRIVATE tenon_objects)
target_include_directories(tenon INTERFACE ${CMAKE_SOURCE_DIR}/include)
target_link_options(tenon PRIVATE -Wl,--no-undefined -Wl,--version-script=${CMAKE_CURRENT_LIST_DIR}/exports.map)
set_target_properties(tenon PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} LINKER_LANGUAGE CXX
                                       LINK_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/exports.map)


# The objects that libraries of other devices link: the parts of the core that their kernels need (errors, types,
# layers' fields), from one archive, of which the linker takes the objects it needs. All calls between them and
# libtenon.so.1 go through backends/entry.h.
set(backend_objects "$<FILTER:$<TARGET_OBJECTS:tenon_core>,INCLUDE,/src/(base|graph|layers|steps|backends)/|/layer_list>")
# The headers that these libraries may include, and with them a number that changes with each.
file(GLOB_RECURSE backend_header_files CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/src/*.h)
list(FILTER backend_header_files INCLUDE REGEX "^(base|graph|layers|steps)/|^backends/[^/]*$")
list(FILTER backend_header_files EXCLUDE REGEX "_(cpu|cuda|trt|onnx)\\.h$")
set(generated_headers ${CMAKE_BINARY_DIR}/generated/include)
set(backend_version_header ${generated_headers}/backends/version.h)
list(TRANSFORM backend_header_files PREPEND ${CMAKE_SOURCE_DIR}/src/ OUTPUT_VARIABLE header_paths)
add_custom_command(
  OUTPUT ${backend_version_header}
  COMMAND ${CMAKE_COMMAND} -DVERSION=${PROJECT_VERSION} "-DHEADERS=${header_paths}"
          -DTEMPLATE=${CMAKE_SOURCE_DIR}/src/backends/version.h.in -DOUTPUT=${backend_version_header}
          -P ${CMAKE_CURRENT_LIST_DIR}/backend_version.cmake
  DEPENDS ${header_paths} ${CMAKE_SOURCE_DIR}/src/backends/version.h.in ${CMAKE_CURRENT_LIST_DIR}/backend_version.cmake
  VERBATIM)
target_sources(tenon_core PRIVATE ${backend_version_header})
target_include_directories(tenon_core PRIVATE ${generated_headers})
add_library(tenon_backend STATIC "$<FILTER:${backend_objects},EXCLUDE,_trt\\.cpp>")
