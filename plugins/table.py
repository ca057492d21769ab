# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""The table of docs/plugins.md on the tests of the standard plugins: a row for each folder.

Test data come from the cases, devices from the page's first table, which plugins_test compares with the code, and times
from bench/results/.
"""
import math
import re
from pathlib import Path

kRoot = Path(__file__).resolve().parents[1]
kPage = kRoot / "docs/plugins.md"
kStart = "| ["  # of a row
kHead = """| folder | plugins | devices | expected values | cases | largest tensor | CPU against torch | H200 against torch |
|---|---|---|---|---|---|---|---|"""


def rowsOf(path, start="| "):
    """Cells of the lines with that start."""
    return [line.strip("| ").split(" | ") for line in path.read_text().splitlines() if line.startswith(start)]


def devices(names):
    """The devices of a folder's plugins in the page's first table."""
    found = {}
    for row in rowsOf(kPage, "| `"):
        name, where = row[0].strip("`"), row[-1].strip("| ")
        if name in names:
            found.setdefault(where, []).append(f"`{name}`")
    if len(found) <= 1:
        return "".join(found)
    return "<br>".join(f"{', '.join(sorted(set(of)))}: {where}" for where, of in sorted(found.items()))


def ratios(file, names):
    """Of each case of bench/plugins.py, on one thread and on two, or on the GPU."""
    found, heads = {}, []
    for row in rowsOf(kRoot / "bench/results" / file):
        if row[0] == "plugin":
            heads = row
        elif row[0] in names:
            found.setdefault((row[0], row[heads.index("case")]), []).append(row[heads.index("ratio")])
    prefix = len({name for name, _ in found}) > 1
    return "<br>".join((f"`{name}` " if prefix else "") + f"{case}: {', '.join(of)}" for (name, case), of in found.items()) or "—"


def reference(docstring):
    """The source of the expected values: the test's first sentence after the names."""
    sentence = re.match(r"Cases of .*?[,;:] (.*)\.$", " ".join(docstring.split("\n\n")[0].split()))
    return sentence[1]


def largest(cases):
    """The input or output shape with the most elements."""
    shapes = [tensor.shape for case in cases if not case.refusal for tensors in (case.inputs, case.outputs)
              for tensor in tensors.values()]
    return "x".join(map(str, max(shapes, key=math.prod)))


def hasBenchCase(names):
    """For one of a folder's plugins."""
    modules = [path.read_text() for path in (kRoot / "bench/plugin_cases").glob("*.py")]
    return any(f'"{name}"' in text for name in names for text in modules)


def row(folder, docstring, cases):
    names = sorted({case.op for case in cases})
    cells = [f"[{folder}](../plugins/{folder})", "<br>".join(f"`{name}`" for name in names), devices(names),
             reference(docstring), str(len(cases)), largest(cases), ratios("plugins_cpu.md", names),
             ratios("plugins_cuda.md", names)]
    return f"| {' | '.join(cells)} |"


def rows(tests):
    """Of (folder, docstring, cases)."""
    return [row(*test) for test in tests if test[0] != "samples"]


def untimed(tests):
    """Folders without a bench case."""
    return [folder for folder, _, cases in tests if folder != "samples" and not hasBenchCase({case.op for case in cases})]


def difference(rows):
    """The difference to the page, or None."""
    documented = [line for line in kPage.read_text().splitlines() if line.startswith(kStart)]
    if documented == rows:
        return None
    return "\n".join(["docs/plugins.md: the table that run_cases --table writes has to be", kHead, *rows])


def write(rows):
    """Replaces the table in the page."""
    others = [line for line in kPage.read_text().splitlines() if not line.startswith(kStart)]
    place = others.index(kHead.splitlines()[-1], others.index(kHead.splitlines()[0])) + 1
    kPage.write_text("\n".join([*others[:place], *rows, *others[place:], ""]))
