// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Where the names of tenon/plugin_base.h stand, and those of tenon/onnx_node.h.
#ifndef TENON_PLUGIN_BASE_NAMESPACE_H
#define TENON_PLUGIN_BASE_NAMESPACE_H

#include "tenon/api/level.h"

#include <string> // which strings the standard library has

/// An inline namespace of `tenon`, so that a process may have plugin libraries of different levels, of different
/// releases of the base, and with either kind of std::string that libstdc++ has (_GLIBCXX_USE_CXX11_ABI): the linker
/// keeps one copy of each inline function, and these must have copies of their own.
/// The number counts releases in which the base has changed. Code says `tenon::PluginBase`; what cannot be done is to
/// declare a class of the base without including it.
#define TENON_PLUGIN_BASE_OF(release, level, strings) pluginBase##release##Level##level##strings
#define TENON_PLUGIN_BASE_AT(release, level, strings) TENON_PLUGIN_BASE_OF(release, level, strings)
#if defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
#define TENON_PLUGIN_BASE TENON_PLUGIN_BASE_AT(3, TENON_LEVEL, OldStrings)
#else
#define TENON_PLUGIN_BASE TENON_PLUGIN_BASE_AT(3, TENON_LEVEL, )
#endif

/// The namespace `hosting`: what stands between a PluginBase and the classes of the API. Plugins have no use for it; it
/// is there for those who bring plugins into one more class. Hidden, so that each library has what is static in there
/// for itself, and can be unloaded.
#define TENON_PLUGIN_HOSTING hosting TENON_PLUGIN_HIDDEN
#define TENON_PLUGIN_HIDDEN __attribute__((visibility("hidden")))

#endif // TENON_PLUGIN_BASE_NAMESPACE_H
