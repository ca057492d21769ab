# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
#
# libtenon_cuda.so.1 from src/backends/cuda and the layers' *_cuda.cu and *_cuda.cpp, if a suitable CUDA toolkit is
# installed; libtenon.so.1 opens it at run time and is the same with and without. It holds the CUDA runtime statically,
# and opens cuDNN, cuBLAS and NVRTC when it needs them.
#
# The parts of the core that both libraries need (errors, types, layers' fields) are linked into both, from one archive:
# the linker takes the objects it needs, and all calls between the two libraries go through backends/entry.h.
find_package(CUDAToolkit 12.4 QUIET)
find_path(CUDNN_INCLUDE cudnn_graph.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
if(NOT CUDAToolkit_FOUND OR NOT CUDNN_INCLUDE OR NOT TARGET CUDA::cudart_static)
  message(STATUS "Without the CUDA backend: it needs a CUDA toolkit, 12.4 or later, and the headers of cuDNN 9")
  return()
endif()

# Appends the text of a header, after those that it includes, as elements of KernelHeader[] to `headers` of the caller:
# kernels that are compiled on the user's machine include them.
function(tenon_append_kernel_header name)
  set(path ${CMAKE_SOURCE_DIR}/src/${name})
  if(NOT EXISTS ${path} OR headers MATCHES "\"${name}\"")
    return()
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  file(STRINGS ${path} includes REGEX "^#include \"")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE "^#include \"(.*)\"" "\\1" include "${include}")
    tenon_append_kernel_header(${include})
  endforeach()
  file(READ ${path} text)
  set(headers "${headers}\n    {\"${name}\", R\"CUDA(${text})CUDA\"}," PARENT_SCOPE)
endfunction()

set(headers "")
file(GLOB kernel_headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/src
     ${CMAKE_SOURCE_DIR}/src/backends/cuda/*_kernel.cuh ${CMAKE_SOURCE_DIR}/src/layers/*/*_kernel_cuda.cuh)
foreach(header IN LISTS kernel_headers)
  tenon_append_kernel_header(${header})
endforeach()
configure_file(${CMAKE_SOURCE_DIR}/src/backends/cuda/kernel_headers.cpp.in
               ${CMAKE_BINARY_DIR}/generated/kernel_headers.cpp @ONLY)

set(CMAKE_CUDA_ARCHITECTURES OFF) # specified below
set(CMAKE_CUDA_COMPILER ${CUDAToolkit_NVCC_EXECUTABLE})
set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
set(CMAKE_CUDA_HOST_COMPILER ${CMAKE_CXX_COMPILER})
enable_language(CUDA)
set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20) # CMake 3.25 does not know yet that nvcc has it
set(CMAKE_CUDA_VISIBILITY_PRESET hidden)

# Compile and link options of a library with kernels: machine code for Hopper, and PTX that the driver compiles for
# everything from Ampere on.
function(tenon_cuda_kernels target)
  target_compile_options(
    ${target}
    PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-gencode=arch=compute_90a,code=sm_90a -gencode=arch=compute_80,code=compute_80
            --expt-relaxed-constexpr --extended-lambda -lineinfo>)
  target_include_directories(${target} SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
  target_link_libraries(${target} PRIVATE CUDA::cudart_static ${CMAKE_DL_LIBS})
endfunction()

file(GLOB cuda_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/backends/cuda/*.cpp
     ${CMAKE_SOURCE_DIR}/src/backends/cuda/*.cu ${CMAKE_SOURCE_DIR}/src/layers/*/*_cuda.cu
     ${CMAKE_SOURCE_DIR}/src/layers/*/*_cuda.cpp)
list(FILTER cuda_sources EXCLUDE REGEX "_test\\.cpp$")
add_library(tenon_cuda SHARED ${cuda_sources} ${cuda_lists} ${CMAKE_BINARY_DIR}/generated/kernel_headers.cpp
                              ${backend_version_header})
add_dependencies(backends tenon_cuda)
target_link_libraries(tenon_cuda PRIVATE tenon_backend OpenMP::OpenMP_CXX)
target_include_directories(tenon_cuda PRIVATE ${CMAKE_SOURCE_DIR}/src ${generated_headers})
target_include_directories(tenon_cuda SYSTEM PRIVATE ${CUDNN_INCLUDE})
tenon_cuda_kernels(tenon_cuda)
target_link_options(tenon_cuda PRIVATE -Wl,--no-undefined -Wl,--gc-sections
                    -Wl,--version-script=${CMAKE_CURRENT_LIST_DIR}/exports.map)
set_target_properties(tenon_cuda PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
                                            LINKER_LANGUAGE CXX)
