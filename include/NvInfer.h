// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Everything: define networks, build engines from them, and run those. A program that only runs engines includes
/// NvInferRuntime.h instead.
///
/// The way from a model to its results:
///
///     builder = createInferBuilder(logger)              one for the program
///     network = builder->createNetworkV2(0)             add inputs and layers, or let a parser do that
///     config  = builder->createBuilderConfig()          precision, profiles, memory
///     file    = builder->buildSerializedNetwork(*network, *config)
///
///     runtime = createInferRuntime(logger)              perhaps in another program, on another day
///     engine  = runtime->deserializeCudaEngine(file->data(), file->size())
///     context = engine->createExecutionContext()        one for each thread
///     context->setInputShape(...), setTensorAddress(...), enqueueV3(stream)
#ifndef NV_INFER_H
#define NV_INFER_H

#include "NvInferLegacyDims.h"
#include "NvInferRuntime.h"
#include "tenon/api/builder.h"

#endif // NV_INFER_H
