# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the classes of the headers between levels: size, bases, and each virtual slot by name and width of shapes.

g++ lists all classes, clang names the slots. Slots are equal if their names are, after the marks of hidden slots are
removed and `Dims` is replaced by its type at the level.
"""
import re
import shutil

from names import absentHeaders
from shell import Failure, require

kTemplate = """template <typename Base> struct Use : Base { Use(); };
template <typename Base> Use<Base>::Use() {}
"""


def words(compiler, include, level, everything):
    return [compiler, "-std=c++17", f"-DTENON_LEVEL={level}", *(["-DTENON_ALL_LEVELS"] if everything else []),
            f"-I{include}"]


def includes(include, level, everything):
    absent = [] if everything else absentHeaders(level)
    headers = sorted([*include.glob("*.h"), *include.glob("impl/*.h"), *include.glob("tenon/*.h")])
    return "".join(f'#include "{header.relative_to(include)}"\n' for header in headers if header.name not in absent)


def neutral(text, level):
    """The text with `Dims`, and structs that contain it, named by width, and hidden types by their names."""
    width = "64" if level >= 10 else "32"
    text = re.sub(r"\b(Dims|PluginTensorDesc|DynamicPluginTensorDesc)\b", rf"\g<1>{width}", text)
    text = re.sub(r"\b([A-Z][A-Za-z0-9]+)_\b", r"\1", text)
    return re.sub(r"\b(nvinfer1|tenonAbi|v_1_0)::", "", text)


def slotName(line, level):
    signature = re.sub(r" \[pure\]", "", neutral(line, level))
    destructor = re.search(r"~\w+\(\) \[(\w+)\]", signature)
    if destructor:
        return f"~ [{destructor[1]}]"
    return re.sub(r"(?:\w+::)*(\w+?)(?:_64|_32|_)?\(", r"\1(", signature, count=1)


def sizes(include, level, everything, place):
    """{class: size} of all classes in namespace nvinfer1, and the names of those with virtual functions."""
    source = place / "classes.cpp"
    source.write_text(includes(include, level, everything))
    for old in place.glob("*.class"):
        old.unlink()
    require([*words("g++", include, level, everything), "-fdump-lang-class", "-c", str(source), "-o", "/dev/null"],
            cwd=place)
    dump = next(place.glob("*.class")).read_text()
    found = {neutral(name, level): int(size)
             for name, size in re.findall(r"^Class (nv\w+::(?!plugin::)[^\n]*)\n   size=(\d+)", dump, re.M)}
    # The safety runtime has only objects made by the headers, for their own level.
    return found, re.findall(r"^Vtable for (nv\w+::(?!safe::|consistency::|tenonAbi::Safe).*)$", dump, re.M)


def slots(include, level, everything, place, classes):
    """{class: [bases and slots in order]}"""
    source = place / "slots.cpp"
    source.write_text(includes(include, level, everything) + kTemplate + "".join(f"template struct Use<{name}>;\n" for name in classes))
    dump = require([*words("clang++", include, level, everything), "-w", "-Xclang", "-fdump-vtable-layouts", "-c",
                    str(source), "-o", "/dev/null"])
    found = {}
    for block in re.split(r"\n(?=Vtable for ')", "\n" + dump):
        head = re.match(r"Vtable for '(nv[^']*)'", block)
        if not head:
            continue
        entries = re.findall(r"^ +\d+ \| (.*\(.*)$", block.split("VTable indices")[0], re.M)
        bases = re.findall(r"-- \((.*), 0\) vtable address --", block)
        found[neutral(head[1], level)] = [*(neutral(base, level) for base in bases), *(slotName(entry, level) for entry in entries[1:])]
    return found


def difference(name, level, mine, other, theirs):
    for index in range(max(len(mine), len(theirs))):
        pair = [slots[index] if index < len(slots) else "nothing" for slots in (mine, theirs)]
        if pair[0] != pair[1]:
            return f"{name}: entry {index} is\n    {pair[0]} at level {level}\n    {pair[1]} at level {other}\n"
    return ""


def compare(layouts):
    """Fails with all differences; `layouts` is {level: ({class: size}, {class: slots})}."""
    faults = ""
    seen = {}
    for level, (sizesHere, slotsHere) in layouts.items():
        for name, size in sizesHere.items():
            other, otherSize = seen.setdefault(("size", name), (level, size))
            if size != otherSize:
                faults += f"{name}: {size} bytes at level {level}, {otherSize} at level {other}\n"
        for name, entries in slotsHere.items():
            other, theirs = seen.setdefault(("slots", name), (level, entries))
            faults += difference(name, level, entries, other, theirs)
    if faults:
        raise Failure(faults)


def cases(include, levels, place):
    if not shutil.which("clang++"):
        return
    layouts = {}

    def read(level, everything):
        sizesHere, classes = sizes(include, level, everything, place)
        slotsHere = slots(include, level, everything, place, classes)
        lacking = {neutral(name, level) for name in classes} - set(slotsHere)
        if lacking or len(classes) < 15:
            raise Failure(f"{len(classes)} classes, no slots read of: {', '.join(sorted(lacking))}")
        layouts["engine" if everything else level] = (sizesHere, slotsHere)

    for level in levels:
        yield f"slots of all classes at level {level}", lambda level=level: read(level, False)
    yield "slots of all classes as the engine sees them", lambda: read(10, True)
    yield "sizes, bases and slots are equal at all levels", lambda: compare(layouts)
