# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
#
# One test executable per area, which is the top folder of src/ that a *_test.cpp is in. Tests run in the root of the
# repository, so they name their data by its path there. tests/support/ is linked to all of them.
find_package(GTest REQUIRED)

file(GLOB_RECURSE support CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/support/*.cpp)
add_library(test_support OBJECT ${support})
target_include_directories(test_support PUBLIC ${CMAKE_SOURCE_DIR}/tests)
target_link_libraries(test_support PUBLIC tenon_dependencies onnx_proto GTest::gtest_main)
target_precompile_headers(test_support PRIVATE ${standard_headers} <gtest/gtest.h>)

# tenon_add_test(NAME SOURCE...): the label marks tests whose cases tools/run_tests may count and filter.
function(tenon_add_test name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE tenon_objects test_support)
  target_precompile_headers(${name} REUSE_FROM test_support)
  # Plugin libraries that a test loads find the API in the test executable itself, as in any application.
  set_target_properties(${name} PROPERTIES ENABLE_EXPORTS ON)
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS gtest)
endfunction()

file(GLOB_RECURSE test_sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/src/*_test.cpp)
foreach(source IN LISTS test_sources)
  string(REGEX REPLACE "^src/([^/]+)/.*" "\\1" area ${source})
  list(APPEND areas ${area})
  list(APPEND ${area}_tests ${source})
endforeach()
list(REMOVE_DUPLICATES areas)
foreach(area IN LISTS areas)
  tenon_add_test(${area}_test ${${area}_tests})
endforeach()

# Kernels use the widest instruction set of the machine; these run the tests again with narrower ones, in oneDNN too.
# Further arguments: more of them, each as OURS=ONEDNNS.
function(tenon_test_narrower_cpus program)
  foreach(isa portable=SSE41 avx2=AVX2 ${ARGN})
    string(REGEX MATCH "(.*)=(.*)" both ${isa})
    string(TOLOWER ${program}_${CMAKE_MATCH_2} name)
    add_test(NAME ${name}
             COMMAND ${CMAKE_COMMAND} -E env TENON_MAX_ISA=${CMAKE_MATCH_1} ONEDNN_MAX_CPU_ISA=${CMAKE_MATCH_2}
                     $<TARGET_FILE:${program}>
             WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES LABELS gtest)
  endforeach()
endfunction()
tenon_test_narrower_cpus(layers_test)

# Layers and engines must compute the same on every device: these run the tests again on a GPU.
function(tenon_test_on_cuda program)
  add_test(NAME ${program}_cuda COMMAND ${CMAKE_COMMAND} -E env TENON_TEST_DEVICE=cuda $<TARGET_FILE:${program}>
           WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${program}_cuda PROPERTIES LABELS gtest)
endfunction()
tenon_test_on_cuda(layers_test)
tenon_test_on_cuda(calibration_test)
tenon_test_on_cuda(runtime_test)
