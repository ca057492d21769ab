# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
#
# libtenon.so.1 from src/. The objects are a target of their own, because the tests link them to reach what the
# library hides.
file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*.cpp)
list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")

if(NOT sources)
  return()
endif()
add_library(tenon_objects OBJECT ${sources} ${lists})
target_include_directories(tenon_objects PUBLIC ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(tenon_objects PUBLIC onednn onnx_proto nlohmann_json::nlohmann_json OpenMP::OpenMP_CXX
                                           ${CMAKE_DL_LIBS})

# Kernels are loops, and only -O3 vectorises those whose trip count is unknown; everything else is as fast at the
# preset's -O2 and compiles quicker. Sanitized builds keep their one level.
set(kernels ${sources})
list(FILTER kernels INCLUDE REGEX "(/backends/|_cpu\\.cpp$|_avx2\\.cpp$|_avx512\\.cpp$)")
set_property(SOURCE ${kernels} APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-O3>)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  foreach(kernel IN LISTS kernels)
    if(kernel MATCHES "_avx2\\.cpp$")
      set_property(SOURCE ${kernel} APPEND PROPERTY COMPILE_OPTIONS -mavx2 -mfma -mf16c)
    elseif(kernel MATCHES "_avx512\\.cpp$")
      set_property(SOURCE ${kernel} APPEND PROPERTY COMPILE_OPTIONS -mavx512f -mavx512bw -mavx512vl -mavx512dq -mfma)
    endif()
  endforeach()
endif()

add_library(tenon SHARED)
target_link_libraries(tenon PRIVATE tenon_objects)
target_include_directories(tenon INTERFACE ${CMAKE_SOURCE_DIR}/include)
target_link_options(tenon PRIVATE -Wl,--no-undefined)
set_target_properties(tenon PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} LINKER_LANGUAGE CXX)
