"""Runs go test and says what failed, and what was skipped.

usage: tests.py [argument of go test]...

A skipped test tests nothing. With CONDUCT_TEST_NO_SKIP=1 one that is not listed
in .ci/skips is a failure.
"""

import collections
import json
import os
import pathlib
import subprocess
import sys


def allowed():
    """The tests that may be skipped: lines of a package, a test and the reason."""
    lines = (pathlib.Path(__file__).parent / "skips").read_text().splitlines()
    return {tuple(l.split()[:2]) for l in lines if l.strip() and not l.startswith("#")}


def main():
    go = subprocess.Popen(["go", "test", "-json", *sys.argv[1:]], stdout=subprocess.PIPE, text=True)
    output = collections.defaultdict(list)
    skipped, seen = [], 0
    for line in go.stdout:
        try:
            event = json.loads(line)
        except ValueError:
            print(line, end="")
            continue
        action, test = event["Action"], event.get("Test", "")
        key = (event.get("Package") or event.get("ImportPath", ""), test)
        if action in ("output", "build-output"):
            output[key].append(event["Output"])
        elif action == "fail" or action == "build-fail":
            print("".join(output.pop(key, [])), end="")
        elif action in ("pass", "skip"):
            text = "".join(output.pop(key, []))
            if not test:
                print(text.splitlines()[-1] if text else key[0])
            elif action == "skip":
                skipped.append((key, text))
            seen += bool(test)
        sys.stdout.flush()
    strict = os.environ.get("CONDUCT_TEST_NO_SKIP") == "1"
    bad = [s for s in skipped if s[0] not in allowed()]
    for (package, test), text in bad:
        print(f"skipped: {package} {test}\n{text}", end="")
    print(f"{seen} tests, {len(skipped)} skipped")
    if go.wait() != 0:
        sys.exit(go.returncode)
    if strict and bad or not seen:
        sys.exit(1)


main()
