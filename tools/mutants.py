#!/usr/bin/env python3
"""Makes small mistakes in a copy of the source, one at a time, and prints which test notices each. See tools/mutants.

build/mutants has the copy, its build, the time that each suite needs without a mistake, the functions that each suite
enters, and a file of results for each seed and count. Results are for one state of the source and its tests: the next
run continues as long as neither changes. Suites of the mutant's own floor run first, then those of the floors above;
quick suites run before slow ones. Suites that never enter the mutant's function do not run. If all suites pass, all
recorded answers are compared (the suite cli.answers compares every fourth).

With --only, suites run in the order of their times in an earlier state, and no suite of these floors is left out.
"""
import argparse
import filecmp
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import mutations
import reached

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "mutants"
TREE = WORK / "tree"
BUILD = TREE / "build" / "release"
STATE = ["CMakeLists.txt", "CMakePresets.json", "bench", "configs", "include", "tools/mutations.py", "src", "tests"]
SLOW = 5  # seconds
ROOM, ROOM_OF_ALL = 20, 900  # seconds of a suite, and of all recorded answers, beyond 10 times the usual time
MEMORY = 8 << 30
FILES = 1 << 30


def copy_tree():
    """Copies files that changed since the last run. The others keep their times, so make does not build them again."""
    kept = set()
    tops = [top for top in ROOT.iterdir() if not re.match(r"build|\.git$|plots$", top.name)]
    for path in (path for top in tops for path in [top, *top.rglob("*")] if path.is_file()):
        local = path.relative_to(ROOT)
        kept.add(local)
        copy = TREE / local
        if not copy.exists() or not filecmp.cmp(path, copy, shallow=False):
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
            shutil.copymode(path, copy)
    for copy in TREE.rglob("*"):
        local = copy.relative_to(TREE)
        if copy.is_file() and local.parts[0] != "build" and local not in kept:
            copy.unlink()


def state():
    """A digest of all files that verdicts depend on."""
    digest = hashlib.sha256()
    for path in sorted(path for top in STATE for path in [ROOT / top, *(ROOT / top).rglob("*")] if path.is_file()):
        digest.update(f"{path.relative_to(ROOT)}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def make(target, jobs=1):
    command = ["cmake", "--build", str(BUILD), "--target", target, "-j", str(jobs)]
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)


def configure_and_build():
    BUILD.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cmake", "-S", str(TREE), "--preset", "release"], stdout=subprocess.DEVNULL, check=True)
    made = make("dlqueue-command", os.cpu_count())
    if made.returncode != 0:
        sys.exit(made.stderr)


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILES, FILES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def kill_all(process):
    """Kills the process, if it still runs, and all processes of its session that are left."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def run_suite(command, seconds, whole=False):
    """None: passed; else how it failed. Its output is in build/mutants/output. whole: sets DLQ_TEST_LONG."""
    (WORK / "tmp").mkdir(exist_ok=True)
    environment = dict(os.environ, TMPDIR=str(WORK / "tmp"), DLQ_TEST_FULL="1")
    environment.pop("DLQ_TEST_LONG", None)
    if whole:
        environment["DLQ_TEST_LONG"] = "1"
    with open(WORK / "output", "wb") as output, subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=BUILD / "tests", env=environment,
            start_new_session=True, preexec_fn=limit) as process:
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            kill_all(process)
    if code is None:
        return f"longer than {seconds:.0f} s"
    return None if code == 0 else f"signal {-code}" if code < 0 else "failed"


def run_twice(command, seconds, whole=False):
    """As run_suite, but fails only if it fails twice: on a busy machine tests that send signals may fail by chance."""
    trouble = run_suite(command, seconds, whole)
    return None if trouble is None else run_suite(command, seconds, whole)


def suites():
    """{name: command}, as tests/CMakeLists.txt names them. Of the suites in Python only the quick one."""
    sources = (TREE / "tests").glob("*/test_*.c")
    pairs = sorted((source.parent.name, source.stem.removeprefix("test_")) for source in sources)
    commands = {f"{floor}.{suite}": [str(BUILD / "tests" / f"tests_{floor}"), suite] for floor, suite in pairs}
    tests = TREE / "tests"
    commands["page.page"] = [sys.executable, "-B", str(tests / "page" / "test_page.py"), str(BUILD / "dlqueue"),
                             str(TREE / "configs"), str(tests / "data" / "torch" / "cases" / "n4_p2_logn1_r1.1.csv")]
    return commands


def target_of(name):
    floor = name.split(".")[0]
    return "dlqueue-command" if floor == "page" else f"tests_{floor}"


def measure(mutants, commands):
    """{suite: (seconds, numbers of the mutants whose function it enters)} without a mistake; all suites must pass."""
    usual = {}
    with reached.Probes(TREE, mutants, WORK / "reached") as probes:
        configure_and_build()
        for name in sorted(commands):
            made = make(target_of(name), os.cpu_count())
            if made.returncode != 0:
                sys.exit(made.stderr)
            probes.clear()
            begin = time.monotonic()
            trouble = run_twice(commands[name], 3600)
            if trouble is not None:
                sys.exit(f"mutants: {name} {trouble} without any mutation; see {WORK / 'output'}")
            usual[name] = (time.monotonic() - begin, probes.reached())
            print(f"{name}: {usual[name][0]:.1f} s", file=sys.stderr)
    return usual


def measured(mutants, commands, key, only):
    """As measure, but saves the result and uses a saved one of this state; with `only`, takes the times of any saved
    state, and says that each suite enters all functions."""
    store = WORK / "suites.json"
    kept = json.loads(store.read_text()) if store.exists() else {}
    if kept.get("key") == key and "usual" in kept:
        return kept["usual"]
    everything = [mutant.number for mutant in mutants]
    if only:
        return {name: (kept.get("usual", {}).get(name, [60])[0], everything) for name in commands}
    usual = measure(mutants, commands)
    store.write_text(json.dumps({"key": key, "usual": usual}))
    return usual


def floors_from(file):
    """The floor of a source and the floors that use it, lowest first."""
    text = (TREE / "CMakeLists.txt").read_text()
    rows = re.findall(r"^dlq_floor\(\w+ ([\w/]+) *([\w ]*)\)", text, re.M)
    uses = {name.replace("/", "_"): below.split() for name, below in rows}
    floor = next((name.replace("/", "_") for name, _ in rows if file.startswith(f"src/{name}/")), "cli")
    return [floor] + [name for name in uses if floor in uses[name]] + [f for f in ("cli", "page", "bench") if f != floor]


def in_order(mutant, usual):
    floors = floors_from(mutant.file)
    near = [name for name, (_, numbers) in usual.items() if name.split(".")[0] in floors and mutant.number in numbers]
    return sorted(near, key=lambda name: (usual[name][0] > SLOW, floors.index(name.split(".")[0]), usual[name][0]))


class Objects:
    """The object files of src without a mistake."""

    def __init__(self):
        self.kept = WORK / "objects"
        shutil.rmtree(self.kept, ignore_errors=True)
        for path in (BUILD / "CMakeFiles").rglob("*.o"):
            self.original(path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, self.original(path))
        self.begin = time.time()

    def changed(self):
        every = (path for path in (BUILD / "CMakeFiles").rglob("*.o") if path.stat().st_mtime > self.begin)
        return [path for path in every if not filecmp.cmp(path, self.original(path), shallow=False)]

    def original(self, path):
        return self.kept / path.relative_to(BUILD / "CMakeFiles")

    def restore(self):
        """Copies the objects back. Their times are then later than those of the source and of the programs, so that
        make compiles nothing and links the programs again."""
        for path in self.changed():
            shutil.copyfile(self.original(path), path)


def notice(mutant, commands, usual):
    made = set()
    for name, whole in [(name, False) for name in in_order(mutant, usual)] + [("cli.answers", True)]:
        target = target_of(name)
        if target not in made and make(target).returncode != 0:
            return "does not compile"
        made.add(target)
        trouble = run_twice(commands[name], (ROOM_OF_ALL if whole else ROOM) + 10 * usual[name][0], whole)
        if trouble is not None:
            return f"noticed by {name}{', whole' if whole else ''}" + ("" if trouble == "failed" else f" ({trouble})")
    return "survived"


def try_mutant(mutant, objects, commands, usual):
    path = TREE / mutant.file
    text, stamp = path.read_text(encoding="utf-8"), path.stat().st_mtime
    lines = text.split("\n")
    assert lines[mutant.line] == mutant.before
    lines[mutant.line] = mutant.after
    path.write_text("\n".join(lines), encoding="utf-8")
    try:
        if make("dlqueue-command").returncode != 0:
            return "does not compile"
        if not objects.changed():
            return "same object code"
        return notice(mutant, commands, usual)
    finally:
        path.write_text(text, encoding="utf-8")
        objects.restore()
        if path.suffix != ".h":  # a header: its new time makes the tests compile again, too
            os.utime(path, (stamp, stamp))


class Results:
    """A file of verdicts: a line with the digest of the state, then a line for each mutant: number, verdict. Verdicts
    of another state are dropped."""

    def __init__(self, name, now):
        self.path = WORK / f"{name}.tsv"
        self.verdicts = {}
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        if lines and lines[0] == now:
            self.verdicts = {int(number): verdict for number, verdict in (line.split("\t") for line in lines[1:])}
        self.head = now

    def add(self, number, verdict):
        self.verdicts[number] = verdict
        rows = "".join(f"{n}\t{v}\n" for n, v in sorted(self.verdicts.items()))
        self.path.write_text(f"{self.head}\n{rows}")


def show(mutant, verdict):
    print(f"{mutant.number:>4} {mutant.file}:{mutant.line + 1} {mutant.kind}: {mutant.before.strip()}  ->  "
          f"{mutant.after.strip()}\n     {verdict}", flush=True)


def totals(verdicts):
    kinds = {kind: sum(v.startswith(kind) for v in verdicts)
             for kind in ("noticed", "survived", "same object code", "does not compile")}
    print("; ".join(f"{kind}: {count}" for kind, count in kinds.items()))
    counted = kinds["noticed"] + kinds["survived"]
    if counted > 0:
        print(f"{100 * kinds['noticed'] / counted:.1f} % of {counted} that change what is computed are noticed")


def main():
    about = __doc__.split("\n", maxsplit=1)[0]
    parser = argparse.ArgumentParser(prog="tools/mutants", description=about, allow_abbrev=False)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--only", type=int, metavar="K", help="try number K alone, again if need be")
    parser.add_argument("--list", action="store_true", help="what would be tried, and what came of it so far")
    given = parser.parse_args()
    mutants = mutations.draw(ROOT, given.seed, given.count)
    if given.only is not None and not 1 <= given.only <= len(mutants):
        parser.error(f"--only {given.only}: there are 1 to {len(mutants)}")
    WORK.mkdir(parents=True, exist_ok=True)
    now = state()
    results = Results(f"seed{given.seed}-{given.count}", now)
    if not given.list:
        copy_tree()
        commands = suites()
        usual = measured(mutants, commands, f"{now} {given.seed} {given.count}", given.only is not None)
        configure_and_build()
        objects = Objects()
    for mutant in mutants:
        if given.only is not None and mutant.number != given.only:
            continue
        if not given.list and (given.only is not None or mutant.number not in results.verdicts):
            results.add(mutant.number, try_mutant(mutant, objects, commands, usual))
        show(mutant, results.verdicts.get(mutant.number, "not tried"))
    totals(results.verdicts.values())


if __name__ == "__main__":
    main()
