# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Extracts names from the headers and lets compilers evaluate each, with two sets of headers."""
import re
import subprocess
from pathlib import Path

# A function with an overload, as older releases declared it, has no single type.
kIncludes = "#define HOSTCUDA_NO_OVERLOADS\n" + "".join(f"#include <{name}>\n" for name in
                    ("cuda_runtime_api.h", "cuda_profiler_api.h", "library_types.h", "vector_types.h", "cuda.h"))

# Names that CUDA 13 removed, or changed from 12, the version of our headers.
kOnlyIn12 = {
    "cudaDevAttrCooperativeMultiDeviceLaunch", "cudaMemAdvise_v2", "cudaMemPrefetchAsync_v2",
    "cudaGetDeviceProperties_v2", "cudaStreamGetCaptureInfo_v2",
}
kDifferentIn13 = {
    "cudaMemAdvise", "cudaMemPrefetchAsync", "cudaStreamUpdateCaptureDependencies", "cudaGraphAddDependencies",
    "cudaGraphRemoveDependencies", "cudaGraphGetEdges", "cudaGraphNodeGetDependencies",
    "cudaGraphNodeGetDependentNodes", "CUDART_VERSION", "CUDA_VERSION",
    "cudaDeviceProp", "cudaPointerAttributes", "cudaResourceDesc", "cudaResourceViewDesc",
}


def preprocessed(include, *flags):
    done = subprocess.run(["g++", "-E", "-P", "-x", "c++", "-I", str(include), *flags, "-"], input=kIncludes,
                          capture_output=True, text=True, check=True)
    return done.stdout


def own(include):
    """The text of our own headers, without the system's."""
    text = "".join(path.read_text() for path in sorted(Path(include).rglob("*.h")))
    return re.sub(r"//[^\n]*", "", text)


def questions(include):
    """Expressions by the name that each evaluates."""
    text, expanded = own(include), preprocessed(include)
    asked = {}
    for body in re.findall(r"\benum\s+\w*\s*\{([^}]*)\}", expanded):
        for name in re.findall(r"\b((?:cuda|CU_|CUDA_|[A-Z]+_VERSION|PATCH)\w*)\b\s*=", body):
            asked[name] = f"(long long){name}"
    for name in re.findall(r"^#define\s+((?:cuda|CUDA)\w*)\s+\(?(?:\(int\))?-?\d", text, re.M):
        asked[name] = f"(long long){name}"
    for name in re.findall(r"\b(cu(?:da)?[A-Z]\w*)\s*\(", re.sub(r"typedef[^;]*;", "", expanded)):
        asked[name] = f"typeid({name}).name()"
    for name in re.findall(r"\b(?:struct|union)\s+(?:__attribute__\s*\(\([^{}]*?\)\)\s*)?(\w+)\s*\{", expanded):
        if re.match(r"(cuda|u?(char|short|int|long|longlong)\d|float\d|double\d|dim3)", name):
            asked[name] = f"layout<{'union' if re.search(rf'union {name} ', expanded) else 'struct'} {name}>()"
    return asked


def fields(include, name):
    """Members of a structure without inner ones."""
    found = re.search(rf"\bstruct\s+{name}\s*\{{([^{{}}]*)\}}", preprocessed(include))
    return re.findall(r"(\w+)(?:\[\d+\])?\s*;", found[1]) if found else []


def program(asked, include):
    lines = [kIncludes, "#include <cstddef>\n#include <cstdio>\n#include <typeinfo>\n",
             "template <class T> long long layout() { return sizeof(T) * 1000 + alignof(T); }\n",
             "void tell(char const* n, long long v) { std::printf(\"%s %lld\\n\", n, v); }\n",
             "void tell(char const* n, char const* v) { std::printf(\"%s %s\\n\", n, v); }\n", "int main() {\n"]
    for name, expression in sorted(asked.items()):
        lines.append(f'tell("{name}", {expression});\n')
        for field in fields(include, name) if expression.startswith("layout") else []:
            lines.append(f'tell("{name}.{field}", (long long)offsetof({name}, {field}));\n')
    return "".join(lines) + "}\n"


def answers(source, include, folder):
    path = Path(folder, "facts")
    subprocess.run(["g++", "-std=c++17", "-w", "-I", str(include), "-x", "c++", "-", "-o", path], input=source, text=True,
                   check=True)
    lines = subprocess.run([path], capture_output=True, text=True, check=True).stdout.splitlines()
    return dict(line.split(" ", 1) for line in lines)


def compare(ours, real, folder):
    """(number of names compared, errors)"""
    asked = questions(ours)
    known = set(re.findall(r"\w+", preprocessed(real))) | set(re.findall(r"\w+", subprocess.run(
        ["g++", "-dM", "-E", "-x", "c++", "-I", str(real), "-"], input=kIncludes, capture_output=True,
        text=True).stdout))
    wrong = [f"{name} is not in {real}" for name in sorted(asked.keys() - known - kOnlyIn12)]
    same = {name: expression for name, expression in asked.items() if name in known and name not in kDifferentIn13}
    source = program(same, ours)
    here, there = answers(source, ours, folder), answers(source, real, folder)
    wrong += [f"{name}: {here[name]}, in {real} {there[name]}" for name in here if here[name] != there[name]]
    return len(here), wrong
