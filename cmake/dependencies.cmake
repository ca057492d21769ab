# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
#
# The dependencies of libtenon, each as a target. Debian's CMake packages of oneDNN and ONNX require more than we link
# (OpenCL, a build type), so both are found as a header and a library, which any 2.6 or 3.x installation has.
find_package(OpenMP REQUIRED)
find_package(Protobuf REQUIRED)
find_package(nlohmann_json REQUIRED)

function(tenon_find_library target header library)
  find_path(${target}_INCLUDE ${header} REQUIRED)
  find_library(${target}_LIBRARY ${library} REQUIRED)
  add_library(${target} INTERFACE)
  target_include_directories(${target} SYSTEM INTERFACE ${${target}_INCLUDE})
  target_link_libraries(${target} INTERFACE ${${target}_LIBRARY})
endfunction()

# oneDNN is opened at run time (src/backends/cpu/onednn_calls.h), so nothing is linked; its headers are read to generate
# the calls.
tenon_find_library(onednn dnnl.hpp dnnl)
set_target_properties(onednn PROPERTIES INTERFACE_LINK_LIBRARIES "")
# The name to open is the library's soname: libdnnl.so.2 in Debian 12, libdnnl.so.3.6 in Debian 13.
execute_process(COMMAND ${CMAKE_READELF} -d ${onednn_LIBRARY} OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
if(NOT dynamic MATCHES "\\(SONAME\\)[^[]*\\[([^]]+)\\]")
  message(FATAL_ERROR "${onednn_LIBRARY} has no SONAME; expected oneDNN's shared library")
endif()
set(onednn_SONAME ${CMAKE_MATCH_1})

# ONNX's own classes, for executables and tests that write models; the library does not use them.
tenon_find_library(onnx_proto onnx/onnx_pb.h onnx_proto)
target_compile_definitions(onnx_proto INTERFACE ONNX_ML=1 ONNX_NAMESPACE=onnx)
target_link_libraries(onnx_proto INTERFACE protobuf::libprotobuf)
