# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""The root of each level of the API, and its expected properties: the facts are those of NVIDIA's packages of that release."""
import functools
import os
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import shell
from shell import Failure, execute

kHere = Path(__file__).resolve().parent
kSources = kHere.parent / "mixed_levels"
require = functools.partial(shell.require, timeout=600)
kRuntimes = ("nvinfer_lean", "nvinfer_dispatch", "nvinfer_vc_plugin")
kParsers = ("nvparsers", "nvcaffeparser", "nvcaffe_parser", "nvonnxparser_runtime")


@dataclass
class Level:
    number: int
    release: str
    macro: int  # NV_TENSORRT_VERSION
    language: str
    found: tuple  # versions that code may require
    others: tuple = ()

    def libraries(self):
        return ("nvinfer", "nvinfer_plugin", "nvonnxparser", *self.others)

    def root(self, prefix):
        return prefix / f"tensorrt-{self.number}"

    def environment(self, prefix):
        return {**os.environ, "LD_LIBRARY_PATH": str(self.root(prefix) / "lib"), "TENON_DEVICE": "cpu"}


kLevels = (
    Level(7, "7.2.3", 7203, "c++11", ("5.1", "6", "7", "7.0.0", "7.2.3"), kParsers),
    Level(8, "8.6.1", 8601, "c++14", ("8", "8.4", "8.6.1", "9.3"), (*kRuntimes, *kParsers)),
    Level(10, "10.16.0", 101600, "c++17", ("10", "10.0.1", "10.16"), kRuntimes),
    Level(11, "11.4.0", 110400, "c++20", ("11", "11.0", "11.4"), kRuntimes),
)
kAsked = (*(version for level in kLevels for version in level.found), "7.3", "8.7", "10.17", "11.5", "12")


def inParallel(function, arguments):
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, arguments))


def libraryNames(prefix, _):
    """Every name leads to one file, with no link that leaves PREFIX."""
    for level in kLevels:
        folder = level.root(prefix) / "lib"
        for library in level.libraries():
            ours = "libtenon_plugins.so.1.0.0" if library.endswith("_plugin") else "libtenon.so.1.0.0"
            for suffix in ("", f".{level.number}", f".{level.release}"):
                path = folder / f"lib{library}.so{suffix}"
                if path.resolve() != prefix / "lib" / ours:
                    raise Failure(f"{path} is {path.resolve()}")
        others = [path.name for path in folder.glob("libnv*") if not path.name.startswith(
            tuple(f"lib{library}.so" for library in level.libraries()))]
        if others:
            raise Failure(f"{folder} also has {others}")


def versionHeader(prefix, _):
    """The values that build scripts read by regular expression."""
    for level in kLevels:
        text = (level.root(prefix) / "include" / "NvInferVersion.h").read_text()
        names = ["NV_TENSORRT_{}", "NV_TENSORRT_SONAME_{}" if level.number <= 8 else "TRT_{}_ENTERPRISE"]
        for name in names:
            found = [re.findall(rf"^#define {name.format(part)} (\d+)$", text, re.M)
                     for part in ("MAJOR", "MINOR", "PATCH")]
            if found != [[part] for part in level.release.split(".")]:
                raise Failure(f"{name} of level {level.number} reads {found}")


def headersWithoutCuda(prefix, _):
    """Each header compiles alone, with the level's C++ standard, without a CUDA toolkit."""
    headers = [(level, path.relative_to(level.root(prefix) / "include")) for level in kLevels
               for pattern in ("*.h", "tenon/*.h") for path in (level.root(prefix) / "include").glob(pattern)]

    def compile_(header):
        level, name = header
        require(["g++", f"-std={level.language}", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c++", "-include",
                 name, f"-I{level.root(prefix)}/include", "/dev/null"])

    inParallel(compile_, headers)
    ended = [level.number for level in kLevels if (level.root(prefix) / "include" / "NvCaffeParser.h").exists()]
    if ended != [7, 8]:
        raise Failure(f"NvCaffeParser.h is in the roots {ended}")


def levelIsFixed(prefix, _):
    """No macro is required, and another level than the root's is refused."""
    root = kLevels[1].root(prefix)
    done = execute(["g++", "-std=c++14", "-fsyntax-only", "-DTENON_LEVEL=10", "-x", "c++", "-include", "NvInfer.h",
                    f"-I{root}/include", "/dev/null"])
    if "These are the headers of level 8: another level's are in its own folder, tensorrt-LEVEL." not in done.stdout:
        raise Failure(done.stdout)


def expectOk(printed, levels):
    wanted = [f"TensorRT {level.release}, {level.macro}: ok" for level in levels]
    if printed.splitlines() != wanted:
        raise Failure(f"expected {wanted}, found:\n{printed}")


def byHand(prefix, work):
    """Plugin libraries, also on the base, and applications of all levels by plain g++; each application runs with those of all
    others."""
    folder = work / "by_hand"
    folder.mkdir()

    def compile_(level, source, output, *words):
        object_ = f"{output}.o"
        require(["ccache", "g++", f"-std={level.language}", "-Wall", "-Wextra", "-Werror", "-fPIC", "-c",
                 kSources / source, "-o", folder / object_, f"-I{level.root(prefix)}/include"])
        require(["g++", folder / object_, "-o", folder / output, *words, f"-L{level.root(prefix)}/lib",
                 *(f"-l{library}" for library in level.libraries()), "-ldl"])

    def build(level):
        compile_(level, "plugins.cpp", f"libplugins{level.number}.so", "-shared")
        compile_(level, "base_plugins.cpp", f"libbase{level.number}.so", "-shared")
        compile_(level, "client.cpp", f"libclient{level.number}.so", "-shared")
        compile_(level, "client.cpp", f"client{level.number}")
        compile_(level, "client.cpp", f"client{level.number}_exports", "-rdynamic")

    inParallel(build, kLevels)
    for level in kLevels:
        others = [other for other in kLevels if other != level]
        libraries = [*(f"./lib{kind}{each.number}.so" for each in kLevels for kind in ("plugins", "base")),
                     *(f"./libclient{other.number}.so" for other in others)]
        for program in (f"./client{level.number}", f"./client{level.number}_exports"):
            printed = require([program, *libraries], cwd=folder, env=level.environment(prefix))
            expectOk(printed, [level, *others])


def byCMake(prefix, work):
    """The packages of each root, and an application that runs with the plugin libraries of all."""
    def build(level):
        folder = work / f"by_cmake_{level.number}"
        printed = require(["cmake", "-G", "Ninja", "-S", kHere / "project", "-B", folder, f"-DRELEASE={level.found[0]}",
                           f"-DTensorRT_ROOT={level.root(prefix)}", f"-DTenon_ROOT={level.root(prefix)}",
                           f"-DCMAKE_CXX_STANDARD={level.language[-2:]}", "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"])
        found = f"found: TensorRT {level.release}, level {level.number}: "
        targets = [line.removeprefix(found).split(";") for line in printed.splitlines() if line.startswith(found)]
        if targets != [targets[0]] or set(targets[0]) != {f"TensorRT::{name}" for name in level.libraries()}:
            raise Failure(printed)
        require(["cmake", "--build", folder])
        return folder

    folders = inParallel(build, kLevels)
    plugins = [folder / library for folder in folders for library in ("libplugins.so", "libbase_plugins.so")]
    for level, folder in zip(kLevels, folders):
        expectOk(require([folder / "client", *plugins], env=level.environment(prefix)), [level])


def packageVersions(prefix, work):
    """Code of one release finds the root of its level, and no other."""
    folder = work / "versions"
    folder.mkdir()
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(versions LANGUAGES NONE)\nforeach(asked ${ASKED})\n"
        "  find_package(TensorRT ${asked} CONFIG QUIET)\n  if(TensorRT_FOUND)\n    message(\"found: ${asked}\")\n"
        "  endif()\nendforeach()\n")
    for level in kLevels:
        printed = require(["cmake", "-G", "Ninja", "-S", folder, "-B", folder / f"build{level.number}",
                           f"-DTensorRT_ROOT={level.root(prefix)}", f"-DASKED={';'.join(kAsked)}"])
        found = tuple(re.findall(r"^found: (.*)$", printed, re.M))
        if found != level.found:
            raise Failure(f"in the root of level {level.number}, these were found: {found}; expected {level.found}")


def enterprisePackage(prefix, work):
    """The package's name since 11.2, in the root of level 11 alone: its targets link, and a component that does not
    exist is refused."""
    folder = work / "enterprise"
    folder.mkdir()
    (folder / "main.cpp").write_text("#include <NvInfer.h>\nint main() { return getInferLibVersion() == NV_TENSORRT_VERSION"
                                     " ? 0 : 1; }\n")
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(enterprise LANGUAGES CXX)\n"
        "find_package(TensorRT-Enterprise 11.2 REQUIRED COMPONENTS nvinfer ${MORE})\n"
        "message(\"found: ${TensorRT-Enterprise_VERSION} ${TensorRT-Enterprise_LIBRARIES}\")\n"
        "foreach(target TensorRT TensorRT-Enterprise)\n  add_executable(${target} main.cpp)\n"
        "  target_link_libraries(${target} PRIVATE ${target}::nvinfer)\nendforeach()\n")
    for level in kLevels:
        build = folder / f"build{level.number}"
        words = ["cmake", "-G", "Ninja", "-S", folder, "-B", build, f"-DCMAKE_PREFIX_PATH={level.root(prefix)}"]
        if level.number != 11:
            if execute(words).returncode == 0:
                raise Failure(f"TensorRT-Enterprise is found in the root of level {level.number}")
            continue
        printed = require(words)
        if f"found: {level.release} TensorRT::nvinfer;" not in printed:
            raise Failure(printed)
        require(["cmake", "--build", build])
        for program in ("TensorRT", "TensorRT-Enterprise"):
            require([build / program], env=level.environment(prefix))
        done = execute([*words, "-DMORE=nvnone"])
        if done.returncode == 0 or "there is no nvnone here" not in done.stdout:
            raise Failure(done.stdout)


kCases = [libraryNames, versionHeader, headersWithoutCuda, levelIsFixed, byHand, byCMake, packageVersions, enterprisePackage]
