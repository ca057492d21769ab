#!/usr/bin/env python3
# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Exports public models to ONNX and compares Tenon with ONNX Runtime on them.

make_exports.py export FOLDER [PATTERN...]            exports the models into the folder
make_exports.py compare FOLDER BUILD [PATTERN...]     runs the executables of a build on them; writes FOLDER/*/result.json
make_exports.py record FOLDER ROOT [PATTERN...]       writes the small ones into ROOT/tests/exported_models
make_exports.py report FOLDER ROOT [PATTERN...]       writes ROOT/bench/results/exports.md

PATTERN: names as in the shell (`resnet*`), of models or, as MODEL.EXPORTER, of exports; all of them without one. The
packages that it needs are in tools/exports/requirements.txt.
"""
import sys
from fnmatch import fnmatch
from pathlib import Path


def isChosen(name, patterns):
    """Of the name of an export: MODEL.EXPORTER"""
    names = (name, name.rsplit(".", 1)[0])
    return not patterns or any(fnmatch(one, pattern) for one in names for pattern in patterns)


def exportsIn(folder, patterns):
    names = sorted(one.parent.name for one in folder.glob("[!.]*/info.json"))
    return [name for name in names if isChosen(name, patterns)]


def export(folder, patterns):
    import onnxruntime  # noqa: loaded before the children are forked
    import timm
    import torchvision
    import transformers

    from exports.export import exportAll, kExporters
    from exports.models import models

    exportAll(folder, [(model, exporter) for model in models() for exporter in kExporters
                       if model.isFor(exporter) and isChosen(f"{model.name}.{exporter}", patterns)])


def compare(folder, build, patterns):
    from exports.compare import compareAll

    compareAll(folder, build, exportsIn(folder, patterns))


def record(folder, root, patterns):
    from exports.record import recordAll

    recordAll(folder, root, exportsIn(folder, patterns))


def report(folder, root, patterns):
    from exports.report import writeReport

    writeReport(folder, root, exportsIn(folder, patterns))


def main(arguments):
    match arguments:
        case ["export", folder, *patterns]:
            export(Path(folder), patterns)
        case ["compare", folder, build, *patterns]:
            compare(Path(folder), Path(build), patterns)
        case ["record", folder, root, *patterns]:
            record(Path(folder), Path(root), patterns)
        case ["report", folder, root, *patterns]:
            report(Path(folder), Path(root), patterns)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
