# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Commands, and the failure of a case."""
import subprocess


class Failure(Exception):
    """A case failed; the text has the reason."""


def execute(words, **options):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          **options)


def require(words, **options):
    """The output of a command that must succeed."""
    done = execute(words, **options)
    if done.returncode:
        raise Failure(" ".join(map(str, words)) + "\n" + done.stdout)
    return done.stdout
