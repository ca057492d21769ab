# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
#
# A common kind of find module: the version is read from the header by regular expression.
find_path(TensorRT_INCLUDE_DIR NvInfer.h HINTS ${TENSORRT_ROOT} $ENV{TENSORRT_ROOT} PATH_SUFFIXES include)
find_library(TensorRT_nvinfer_LIBRARY nvinfer HINTS ${TENSORRT_ROOT} $ENV{TENSORRT_ROOT} PATH_SUFFIXES lib lib64)
find_library(TensorRT_nvonnxparser_LIBRARY nvonnxparser HINTS ${TENSORRT_ROOT} $ENV{TENSORRT_ROOT}
             PATH_SUFFIXES lib lib64)
find_library(TensorRT_nvinfer_plugin_LIBRARY nvinfer_plugin HINTS ${TENSORRT_ROOT} $ENV{TENSORRT_ROOT}
             PATH_SUFFIXES lib lib64)

if(TensorRT_INCLUDE_DIR)
  file(READ ${TensorRT_INCLUDE_DIR}/NvInferVersion.h _header)
  foreach(_part MAJOR MINOR PATCH)
    string(REGEX MATCH "#define NV_TENSORRT_${_part} +([0-9]+)" _ "${_header}")
    set(TensorRT_VERSION_${_part} ${CMAKE_MATCH_1})
  endforeach()
  set(TensorRT_VERSION ${TensorRT_VERSION_MAJOR}.${TensorRT_VERSION_MINOR}.${TensorRT_VERSION_PATCH})
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(TensorRT
  REQUIRED_VARS TensorRT_nvinfer_LIBRARY TensorRT_nvonnxparser_LIBRARY TensorRT_nvinfer_plugin_LIBRARY
                TensorRT_INCLUDE_DIR
  VERSION_VAR TensorRT_VERSION)
set(TensorRT_INCLUDE_DIRS ${TensorRT_INCLUDE_DIR})
set(TensorRT_LIBRARIES ${TensorRT_nvinfer_LIBRARY} ${TensorRT_nvonnxparser_LIBRARY}
                       ${TensorRT_nvinfer_plugin_LIBRARY})
