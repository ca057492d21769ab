#!/usr/bin/env bash
# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
#
# Reads the text in an image: demo.sh [--device DEVICE] [IMAGE.png], with DEVICE cpu or cuda. Expects Tenon to be
# built in build/release, or in $BUILD.
set -euo pipefail

if [[ ${1:-} == --device* ]]; then
    device=${1#--device}
    device=${device#=}
    if [[ -z $device ]]; then
        device=${2:?--device takes the name of a device, cpu or cuda}
        shift
    fi
    export TENON_DEVICE=$device
    shift
fi
here=$(dirname "$(realpath "$0")")
build=${BUILD:-$here/../../build/release}
picture=${1:-$here/page.png}
plugins=$build/lib/libocr_plugins.so
engines=$build/ocr/${TENON_DEVICE:-best}

models=$("$here/fetch_models")
mkdir -p "$engines"
"$build/bin/ocr_append_node" "$models/ch_PP-OCRv4_rec_infer.onnx" "$engines/rec.onnx" "$engines/dictionary.txt"
"$build/bin/ocr_build" "$models/ch_PP-OCRv4_det_infer.onnx" "$engines/rec.onnx" "$plugins" "$engines"
"$build/bin/ocr_run" "$engines" "$plugins" "$picture"
