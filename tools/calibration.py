#!/usr/bin/env python3
# tools/calibration.py [NAME...]: moves each threshold of src/logs/calibration.h (or those named) up and down by 20 %.
# Each row names a test: a suite, or a question (the arguments of a command) of tests/data/answers.txt. The suite must
# pass with the threshold unmoved; at least one of the two moves must change the outcome of the test. Exit status 1: a
# test fails these conditions. BUILD=DIRECTORY: a build with tests; default: build/release. With --when-long (for ctest)
# does nothing unless DLQ_TEST_LONG is set.
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
TESTS = os.path.join(os.path.realpath(os.environ.get("BUILD", os.path.join(ROOT, "build", "release"))), "tests")
TEXT = r'((?:"(?:[^"\\]|\\.)*"\s*)+)'
ROW = re.compile(r"ROW\(\s*(\w+),\s*([^,]+),\s*" + TEXT + r",\s*" + TEXT + r",\s*" + TEXT + r"\)")


def read_rows():
    with open(os.path.join(ROOT, "src/logs/calibration.h"), encoding="utf-8") as header:
        text = header.read().replace("\\\n", "\n")
    for name, question in re.findall(r'#define (DLQ_ASK_\w+) (".*")', text):
        text = re.sub(rf"\b{name}\)", question + ")", text)
    rows = ROW.findall(text[text.index("#define DLQ_CALIBRATION(ROW)") :])
    return {name: "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', test)) for name, _, _, _, test in rows}


def prepare(directory):
    for name, source in (("configs", "configs"), ("data", "tests/data")):
        os.symlink(os.path.join(ROOT, source), os.path.join(directory, name))
    variants = os.path.join(directory, "variants")
    os.mkdir(variants)
    subprocess.run(["sh", "../data/variants.sh", "../data"], cwd=variants, check=True)


def outcome(directory, test, move):
    """The exit status of a suite, or the exit status and answer of a question. move None: no threshold is moved."""
    environment = {key: value for key, value in os.environ.items() if key != "DLQ_TEST_LONG"}
    if move:
        environment["DLQ_CALIBRATION"] = move
    if re.fullmatch(r"\w+\.\w+", test):
        floor, suite = test.split(".")
        line = [os.path.join(TESTS, "tests_" + floor), suite]
    else:
        line = ["sh", "-c", f"exec {os.path.join(TESTS, 'moved')} {test} --threads 1"]
    ran = subprocess.run(line, cwd=directory, env=environment, capture_output=True, check=False)
    # Standard error is ignored: it may show progress, which depends on the machine.
    return ran.returncode if line[0] != "sh" else (ran.returncode, ran.stdout)


def complaint(directory, questions, unmoved, name, test):
    """Why the test of the threshold `name` does not suffice; None: it does."""
    is_suite = re.fullmatch(r"\w+\.\w+", test)
    if not is_suite and test not in questions:
        return f"{name}: tests/data/answers.txt does not ask '{test}'"
    if is_suite and unmoved[test].result() != 0:
        return f"{name}: {test} fails unmoved"
    if any(outcome(directory, test, f"{name}*{factor}") != unmoved[test].result() for factor in (1.2, 0.8)):
        return None
    return f"{name}: {test} notices no move by 20 %"


def main():
    names = sys.argv[1:]
    if names[:1] == ["--when-long"]:
        if "DLQ_TEST_LONG" not in os.environ:
            return 77
        del names[0]
    rows = read_rows()
    names = names or list(rows)
    with open(os.path.join(ROOT, "tests/data/answers.txt"), encoding="utf-8") as answers:
        questions = {line.split(" ", 1)[1].strip() for line in answers}
    with tempfile.TemporaryDirectory() as directory, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        prepare(directory)
        unmoved = {test: pool.submit(outcome, directory, test, None) for test in {rows[name] for name in names}}
        made = [pool.submit(complaint, directory, questions, unmoved, name, rows[name]) for name in names]
        complaints = [one.result() for one in made if one.result()]
    print("\n".join(complaints + [f"{len(names)} thresholds tried, {len(complaints)} complaints"]))
    return 1 if complaints else 0


sys.exit(main())
