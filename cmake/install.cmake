# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
#
# The installation of `./dev install PREFIX`. The libraries are stored in PREFIX/lib once; a root for each level of the
# API, PREFIX/tensorrt-LEVEL, has the structure of an unpacked TensorRT of that version and links to them. Every link
# and every search path is relative, so PREFIX may be moved.
install(TARGETS tenon tenon_plugins LIBRARY DESTINATION lib NAMELINK_SKIP)
add_dependencies(installed tenon tenon_plugins backends)
if(TARGET tenon_cuda) # found beside libtenon, wherever that is opened from
  install(TARGETS tenon_cuda LIBRARY DESTINATION lib NAMELINK_SKIP)
endif()

# The files for building a backend outside of the tree: the headers that its kernels may include, which are those of the
# folders that src/backends/cuda may include, and their archive.
set(backend_headers include/tenon/backend)
foreach(header IN LISTS backend_header_files)
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${CMAKE_SOURCE_DIR}/src/${header} DESTINATION ${backend_headers}/${folder})
endforeach()
install(FILES ${backend_version_header} DESTINATION ${backend_headers}/backends)
install(TARGETS tenon_backend ARCHIVE DESTINATION lib)
add_dependencies(installed tenon_backend)

# tenon_link(FOLDER NAME TARGET): a symbolic link FOLDER/NAME to TARGET, below PREFIX.
function(tenon_link folder name target)
  set(made ${CMAKE_BINARY_DIR}/installed/${folder})
  file(MAKE_DIRECTORY ${made})
  file(CREATE_LINK ${target} ${made}/${name} SYMBOLIC)
  install(FILES ${made}/${name} DESTINATION ${folder})
endfunction()

# tenon_header(LEVEL NAME): installs include/NAME as tools/installed_header writes it for the level.
function(tenon_header level name)
  set(made ${CMAKE_BINARY_DIR}/installed/tensorrt-${level}/include/${name})
  set(script ${CMAKE_SOURCE_DIR}/tools/installed_header)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script} ${CMAKE_SOURCE_DIR}/include/${name})
  cmake_path(GET made PARENT_PATH folder)
  file(MAKE_DIRECTORY ${folder})
  execute_process(COMMAND ${script} ${level} ${CMAKE_SOURCE_DIR}/include/${name} OUTPUT_FILE ${made}
                  COMMAND_ERROR_IS_FATAL ANY)
  cmake_path(GET name PARENT_PATH below)
  install(FILES ${made} DESTINATION tensorrt-${level}/include/${below})
endfunction()

# tenon_soname_of(NAME RESULT): the library that projects link as NAME.
function(tenon_soname_of name result)
  set(library tenon)
  if(name MATCHES "_plugin$")
    set(library tenon_plugins)
  endif()
  set(${result} lib${library}.so.${PROJECT_VERSION_MAJOR} PARENT_SCOPE)
endfunction()

# tenon_names(FOLDER LIBRARY VERSION): links with the names of NVIDIA's packages, lib….so.10.16.0, .so.10 and .so.
function(tenon_names folder library version)
  string(REGEX MATCH "^[0-9]+" major ${version})
  set(full lib${library}.so.${version})
  tenon_soname_of(${library} soname)
  tenon_link(${folder} ${full} ${soname})
  tenon_link(${folder} lib${library}.so.${major} ${full})
  tenon_link(${folder} lib${library}.so lib${library}.so.${major})
endfunction()

# tenon_headers(LEVEL): installs include/ for one level, without the headers that this level does not have.
function(tenon_headers level)
  set(left_out PATTERN NvInferVersion.h EXCLUDE PATTERN level.h EXCLUDE)
  foreach(header IN LISTS public_headers)
    file(STRINGS ${header} range REGEX "^#error .* (began|ended) with level [0-9]+")
    set(is_left_out FALSE)
    if(range MATCHES "ended with level ([0-9]+)" AND level GREATER CMAKE_MATCH_1)
      set(is_left_out TRUE)
    endif()
    if(range MATCHES "began with level ([0-9]+)" AND level LESS CMAKE_MATCH_1)
      set(is_left_out TRUE)
    endif()
    if(is_left_out)
      cmake_path(GET header FILENAME name)
      list(APPEND left_out PATTERN ${name} EXCLUDE)
    endif()
  endforeach()
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/ DESTINATION tensorrt-${level}/include ${left_out})
  tenon_header(${level} NvInferVersion.h)
  tenon_header(${level} tenon/api/level.h)
endfunction()

# tenon_packages(LEVEL VERSION LIBRARIES...): the CMake packages TensorRT and Tenon in the root of a level.
function(tenon_packages level version)
  set(TENON_ROOT_VERSION ${version})
  set(TENON_ROOT_LIBRARIES ${ARGN})
  # a level also covers neighbouring major versions: 7 covers 5 and 6, 8 covers 9
  set(TENON_ROOT_MAJORS "${majors_${level}}")
  set(TENON_ROOT_SONAMES "")
  foreach(library IN LISTS ARGN)
    tenon_soname_of(${library} soname)
    string(APPEND TENON_ROOT_SONAMES "set(_soname_of_${library} ${soname})\n")
  endforeach()
  set(folder tensorrt-${level}/lib/cmake)
  set(made ${CMAKE_BINARY_DIR}/installed/${folder})
  foreach(package TensorRT Tenon)
    foreach(file Config ConfigVersion)
      configure_file(cmake/${package}${file}.cmake.in ${made}/${package}/${package}${file}.cmake @ONLY)
    endforeach()
    configure_file(cmake/exports.map ${made}/Tenon/exports.map COPYONLY)
    install(DIRECTORY ${made}/${package} DESTINATION ${folder})
  endforeach()
endfunction()

# tenon_enterprise_package(LEVEL VERSION): the package TensorRT-Enterprise, which the packages of 11.2 and later have in
# their folder `cmake`. It finds what find_package(TensorRT) finds.
function(tenon_enterprise_package level version)
  set(TENON_ROOT_VERSION ${version})
  set(TENON_ROOT_MAJORS "${majors_${level}}")
  set(folder tensorrt-${level}/cmake)
  set(made ${CMAKE_BINARY_DIR}/installed/${folder})
  configure_file(cmake/TensorRT-EnterpriseConfig.cmake.in ${made}/TensorRT-EnterpriseConfig.cmake COPYONLY)
  configure_file(cmake/TensorRTConfigVersion.cmake.in ${made}/TensorRT-EnterpriseConfigVersion.cmake @ONLY)
  install(DIRECTORY ${made}/ DESTINATION ${folder})
endfunction()

# tenon_root(LEVEL VERSION LIBRARIES...): the root of one level; LIBRARIES are the names that projects of that level link,
# without `lib` and `.so`.
function(tenon_root level version)
  set(root tensorrt-${level})
  tenon_headers(${level})
  foreach(library tenon tenon_plugins)
    set(soname lib${library}.so.${PROJECT_VERSION_MAJOR})
    tenon_link(${root}/lib ${soname} ../../lib/${soname})
    tenon_link(${root}/lib lib${library}.so ${soname})
  endforeach()
  foreach(library IN LISTS ARGN)
    tenon_names(${root}/lib ${library} ${version})
  endforeach()
  tenon_packages(${level} ${version} ${ARGN})
  foreach(program trtexec tenon_cli)
    if(TARGET ${program})
      install(TARGETS ${program} DESTINATION ${root}/bin)
      add_dependencies(installed ${program})
      set_target_properties(${program} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
    endif()
  endforeach()
endfunction()

file(GLOB public_headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/include/*.h)
set(libraries nvinfer nvonnxparser nvinfer_plugin)
# since 8.6: opened by applications that only run engines; the ONNX parser of onnx-tensorrt looks for ROIAlign there
set(runtimes nvinfer_lean nvinfer_dispatch nvinfer_vc_plugin)
set(parsers nvparsers nvcaffeparser nvcaffe_parser nvonnxparser_runtime) # until level 8
set(majors_7 5 6 7)
set(majors_8 8 9)
set(majors_10 10)
set(majors_11 11)
tenon_root(7 7.2.3 ${libraries} ${parsers})
tenon_root(8 8.6.1 ${libraries} ${runtimes} ${parsers})
tenon_root(10 10.16.0 ${libraries} ${runtimes})
tenon_root(11 11.4.0 ${libraries} ${runtimes})
tenon_enterprise_package(11 11.4.0)
