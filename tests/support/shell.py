# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Commands, and how a case says that it failed."""
import subprocess


class Failure(Exception):
    """A case did not come out as it should; the text says how."""


def execute(words, **options):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          **options)


def require(words, **options):
    """The output of a command that must succeed."""
    done = execute(words, **options)
    if done.returncode:
        raise Failure(" ".join(map(str, words)) + "\n" + done.stdout)
    return done.stdout
