# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
#
# A file's name is its registration:
#
#   src/layers/soft_max/soft_max.cpp       defines  tenon::layers::softMaxLayer
#   src/layers/soft_max/soft_max_onnx.cpp  defines  tenon::onnx::softMaxImporters   (src/onnx/nodes/NAME.cpp too)
#   src/caffe/nodes/inner_product.cpp      defines  tenon::caffe::innerProductImporters
#   src/layers/soft_max/soft_max_cpu.cpp   defines  tenon::cpu::softMaxKernels
#   src/layers/soft_max/soft_max_cuda.cu   defines  tenon::cuda::softMaxKernels
#   src/layers/soft_max/soft_max_trt.cpp   defines  tenon::trt::softMaxFace
#
# A list is generated from a template NAME_list.cpp.in, which defines a macro that is applied to all names of a kind:
#
#   #define X(name) LayerEntry name##Layer();
#   @names@                                 becomes  X(relu) X(softMax)

# soft_max -> softMax
function(tenon_camel_case name result)
  string(REPLACE "_" ";" words "${name}")
  list(POP_FRONT words camel)
  foreach(word IN LISTS words)
    string(SUBSTRING "${word}" 0 1 first)
    string(SUBSTRING "${word}" 1 -1 rest)
    string(TOUPPER "${first}" first)
    string(APPEND camel "${first}${rest}")
  endforeach()
  set(${result} "${camel}" PARENT_SCOPE)
endfunction()

# The names of the matching files; in src/layers/NAME/ only the file called NAME plus the suffix counts.
function(tenon_registered_names result suffix)
  file(GLOB files CONFIGURE_DEPENDS ${ARGN})
  set(names "")
  foreach(file IN LISTS files)
    cmake_path(GET file STEM name)
    cmake_path(GET file PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    if(file MATCHES "/layers/")
      if(NOT name STREQUAL "${folder}${suffix}")
        continue()
      endif()
      set(name ${folder})
    endif()
    if(NOT name MATCHES "_test$")
      tenon_camel_case(${name} name)
      string(APPEND names "X(${name}) ")
    endif()
  endforeach()
  set(${result} "${names}" PARENT_SCOPE)
endfunction()

# Appends the filled template to the list `lists` of the caller.
function(tenon_generate_list template suffix)
  if(EXISTS ${CMAKE_SOURCE_DIR}/src/${template}.in)
    tenon_registered_names(names "${suffix}" ${ARGN})
    cmake_path(GET template FILENAME filename)
    configure_file(${CMAKE_SOURCE_DIR}/src/${template}.in ${CMAKE_BINARY_DIR}/generated/${filename} @ONLY)
    set(lists ${lists} ${CMAKE_BINARY_DIR}/generated/${filename} PARENT_SCOPE)
  endif()
endfunction()

# Generates the functions that oneDNN's C headers declare, each a jump to the function in the library that is opened at
# run time. Adds to the list `lists` of the caller.
function(tenon_generate_onednn_calls)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(jump "endbr64\\n jmp *tenonOneDnnEntries+@offset@(%rip)")
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    set(jump "hint 34\\n adrp x16, tenonOneDnnEntries+@offset@\\n ldr x16, [x16, :lo12:tenonOneDnnEntries+@offset@]\\n br x16")
  else()
    message(FATAL_ERROR "cmake/registration.cmake has no jump for ${CMAKE_SYSTEM_PROCESSOR}; add one")
  endif()
  set(offset 0)
  file(GLOB headers ${onednn_INCLUDE}/oneapi/dnnl/dnnl.h ${onednn_INCLUDE}/oneapi/dnnl/dnnl_common.h) # since oneDNN 3
  foreach(header IN LISTS headers)
    file(STRINGS ${header} declarations REGEX "DNNL_API \\*?dnnl_[a-z0-9_]+\\(")
    foreach(declaration IN LISTS declarations)
      string(REGEX REPLACE ".*DNNL_API \\*?(dnnl_[a-z0-9_]+)\\(.*" "\\1" name "${declaration}")
      string(CONFIGURE "${jump}" instructions @ONLY)
      string(APPEND names "\n    \"${name}\",")
      string(APPEND jumps "asm(\".text\\n .globl ${name}\\n .hidden ${name}\\n .type ${name}, %function\\n${name}:\\n ${instructions}\\n\");\n")
      math(EXPR offset "${offset} + 8")
    endforeach()
  endforeach()
  configure_file(${CMAKE_SOURCE_DIR}/src/backends/cpu/onednn_calls.cpp.in
                 ${CMAKE_BINARY_DIR}/generated/onednn_calls.cpp @ONLY)
  set(lists ${lists} ${CMAKE_BINARY_DIR}/generated/onednn_calls.cpp PARENT_SCOPE)
endfunction()

# One file for each instruction set of the processor that includes the loops: the file's name selects the compile
# options (cmake/library.cmake), and compiledLoops() of src/backends/cpu/isa.h looks it up.
function(tenon_generate_loops)
  set(suffixes cpu)
  set(isas Portable)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(APPEND suffixes avx2 avx512)
    list(APPEND isas Avx2 Avx512)
  endif()
  file(GLOB loops CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/src/backends/cpu/*_loops.inc
       ${CMAKE_SOURCE_DIR}/src/layers/*/*_loops_cpu.inc)
  foreach(path IN LISTS loops)
    string(REGEX REPLACE "(.*/|_cpu\\.inc$|\\.inc$)" "" name ${path})
    foreach(suffix isa IN ZIP_LISTS suffixes isas)
      set(generated ${CMAKE_BINARY_DIR}/generated/${name}_${suffix}.cpp)
      file(CONFIGURE OUTPUT ${generated} CONTENT "#define TENON_ISA ${isa}\n#include \"${path}\"\n")
      list(APPEND lists ${generated})
    endforeach()
  endforeach()
  set(lists ${lists} PARENT_SCOPE)
endfunction()

set(lists "")
tenon_generate_list(layers/layer_list.cpp "" ${CMAKE_SOURCE_DIR}/src/layers/*/*.cpp)
tenon_generate_list(onnx/onnx_importer_list.cpp _onnx ${CMAKE_SOURCE_DIR}/src/layers/*/*_onnx.cpp
                    ${CMAKE_SOURCE_DIR}/src/onnx/nodes/*.cpp)
tenon_generate_list(caffe/caffe_importer_list.cpp "" ${CMAKE_SOURCE_DIR}/src/caffe/nodes/*.cpp)
tenon_generate_list(backends/cpu/cpu_kernel_list.cpp _cpu ${CMAKE_SOURCE_DIR}/src/layers/*/*_cpu.cpp)
tenon_generate_list(trt/network/face_list.cpp _trt ${CMAKE_SOURCE_DIR}/src/layers/*/*_trt.cpp)

tenon_generate_onednn_calls()
tenon_generate_loops()

set(core_lists ${lists})
set(lists "")
tenon_generate_list(backends/cuda/cuda_kernel_list.cpp _cuda ${CMAKE_SOURCE_DIR}/src/layers/*/*_cuda.cu)
set(cuda_lists ${lists})
set(lists ${core_lists})
