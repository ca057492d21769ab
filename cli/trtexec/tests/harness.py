# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Calls of the program, and their common checks. The first argument is the build folder."""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np

kBuild = Path(sys.argv[1]).resolve()
kProgram = kBuild / "bin" / "trtexec"
kPlugins = kBuild / "lib" / "libkeep_positive"
kShort = ["--duration=0", "--warmUp=0", "--iterations=4"]
kHead = r"^\[\d\d/\d\d/\d{4}-\d\d:\d\d:\d\d\] \[[VIWE]\] "
kTimes = r"min = (\d+\.\d+) ms, max = (\d+\.\d+) ms, mean = (\d+\.\d+) ms, median = (\d+\.\d+) ms"
kPercentiles = r", percentile\(90%\) = ([\d.]+) ms, percentile\(95%\) = ([\d.]+) ms, percentile\(99%\) = ([\d.]+) ms"
kTests = []


def test(function):
    kTests.append(function)
    return function


class Done:
    """The output of a call; `log` is all of it without the heads of the lines."""

    def __init__(self, arguments, environment, folder):
        done = subprocess.run([kProgram, *map(str, arguments)], capture_output=True, text=True, timeout=300,
                              stdin=subprocess.DEVNULL, env={**os.environ, **environment}, cwd=folder)
        self.status, self.out, self.err = done.returncode, done.stdout, done.stderr
        self.log = re.sub(kHead, "", self.out + self.err, flags=re.M)

    def __str__(self):
        return f"status {self.status}\n{self.out}{self.err}"


def call(*arguments, folder=None, **environment):
    return Done(arguments, environment, folder)


def succeed(*arguments, **environment):
    done = call(*arguments, **environment)
    assert done.status == 0, done
    verdicts(done, "PASSED")
    return done


def failWith(text, *arguments, **environment):
    """The text is a line of its own, marked as an error."""
    done = call(*arguments, **environment)
    assert done.status == 1, done
    verdicts(done, "FAILED")
    errors = [re.sub(kHead, "", line) for line in done.err.splitlines() if re.match(kHead.replace("VIWE", "E"), line)]
    assert any(text in error for error in errors), f"{text!r} is not among {errors}"
    return done


def verdicts(done, last):
    lines = done.out.splitlines()
    head = r"TensorRT\.trtexec \[TensorRT v101600\] \[b72\] # .*trtexec"
    assert re.match("&&&& RUNNING " + head, lines[0]), lines[0]
    assert re.match(f"&&&& {last} " + head, lines[-1]), lines[-1]


def readOutputs(path):
    """As parsed by Polygraphy's runner for this program."""
    return {entry["name"]: np.array(entry["values"]).reshape([int(d) for d in entry["dimensions"].split("x") if d])
            for entry in json.loads(Path(path).read_text())}


def expectClose(found, wanted, tolerance=1e-5):
    assert set(found) == set(wanted), (set(found), set(wanted))
    for name, values in wanted.items():
        np.testing.assert_allclose(found[name], values, rtol=tolerance, atol=tolerance)
