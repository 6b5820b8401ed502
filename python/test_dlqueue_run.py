"""Tests of `dlqueue run` with the real torch: /usr/bin/python3 python/test_dlqueue_run.py [COMMAND]

COMMAND: of dlqueue, by default the one of build/release. Each program of run_programs.py runs twice, without and with
it: same status, same output, which holds a hash of all batches, the states of random numbers after, and sys.path.
Without it, programs are children of one process, which has imported torch.
"""

import concurrent.futures
import contextlib
import csv
import glob
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
COMMAND = os.path.join(os.path.dirname(HERE), "build", "release", "dlqueue")
PROGRAMS = os.path.join(HERE, "run_programs.py")
LIMIT = 600  # s, of what hangs
TICK = 1.5e-6  # two times rounded to 1 us
# An interrupt within multiprocessing.Queue.put() may leave the queue's lock taken: the next put(), by which a loader ends
# its workers, hangs until a second interrupt. Without dlqueue too: 4 of 300 interrupts of a loop of put() and get().
INTERRUPT_AGAIN = 60  # s


def setUpModule():
    global server
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    server = subprocess.Popen([sys.executable, "-B", PROGRAMS, "serve"], env=environment, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, universal_newlines=True)
    unittest.addModuleCleanup(server.communicate)


class Trace:
    def __init__(self, path):
        with open(path) as file:
            lines = file.read().split("\n")
        assert lines.pop() == "", "a line that is not whole"
        comments = [line for line in lines if line.startswith("#")]
        self.facts = dict(line[2:].split("=", 1) for line in comments)
        self.rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
        assert all(None not in row and None not in row.values() for row in self.rows), "a line that is not whole"

    def __len__(self):
        return len(self.rows)

    def count(self, name):
        return sum(row[name] != "" for row in self.rows)

    def in_order(self):
        for row in self.rows:
            times = [float(row[name]) for name in ("dispatched", "load_start", "load_end", "received") if row[name]]
            if any(later < earlier - TICK for earlier, later in zip(times, times[1:])):
                return False
        return True


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        self.temporary = os.path.join(self.directory, "tmp")
        os.mkdir(self.temporary)
        self.environment = dict(os.environ, TMPDIR=self.temporary, PYTHONDONTWRITEBYTECODE="1")
        for name in ("PYTHONPATH", "RANK", "WORLD_SIZE", "LOCAL_RANK"):
            self.environment.pop(name, None)

    def call(self, words, **more):
        environment = dict(self.environment, **more)
        done = subprocess.run(words, cwd=self.directory, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, universal_newlines=True, timeout=LIMIT)
        return done.returncode, done.stdout, done.stderr

    def serve(self, words, environment):
        """Status and output of a program of run_programs.py, which a child of the server runs."""
        output = os.path.join(self.directory, "bare.txt")
        request = {"words": words, "directory": self.directory, "environment": environment, "output": output}
        print(json.dumps(request), file=server.stdin, flush=True)
        status = int(server.stdout.readline())
        with open(output) as file:
            return status, file.read()

    def recording(self, *options):
        return [COMMAND, "run", "-o", "x.csv", *options, "--"]

    def forget(self):
        for path in glob.glob(os.path.join(self.directory, "x*.csv")):
            os.unlink(path)

    def assert_nothing_left(self):
        self.assertEqual(glob.glob(os.path.join(self.temporary, "dlqueue*")), [])

    def traces(self):
        paths = sorted(glob.glob(os.path.join(self.directory, "x*.csv")))
        return {os.path.basename(path): Trace(path) for path in paths if os.path.getsize(path)}

    def both(self, *words, options=(), **more):
        """Runs it without and with dlqueue; what it says with it on standard error, and its traces."""
        self.forget()
        with concurrent.futures.ThreadPoolExecutor() as pool:
            if words[0][0] in "-/":
                bare = pool.submit(self.call, words, **more)
            else:
                bare = pool.submit(self.serve, words, dict(self.environment, **more))
                words = (sys.executable, PROGRAMS, *words)
            status, out, err = self.call(self.recording(*options) + list(words), **more)
            self.assertEqual((status, out), bare.result()[:2], err)
        self.status = status  # of both
        self.assert_nothing_left()
        traces = self.traces()
        for name, trace in traces.items():
            self.assertTrue(trace.in_order(), name)
        return err, traces

    def assert_rows(self, traces, **expected):
        """Batches of each trace by name, all with their loads."""
        expected = {name.replace("_", ".") + ".csv": rows for name, rows in expected.items()}
        self.assertEqual({name: len(trace) for name, trace in traces.items()}, expected)
        for name, trace in traces.items():
            self.assertEqual(trace.count("load_start"), len(trace), name)


class LoadersTest(Case):
    def test_kinds_of_loaders(self):
        for words in ("", "--workers 0", "--iterable", "--iterable --workers 0", "--persistent", "--iterable --persistent",
                      "--start spawn", "--start forkserver", "--thread", "--rebuild", "--temporary", "--nested",
                      "--nested --workers 0"):
            with self.subTest(words):
                err, traces = self.both("train", *words.split())
                self.assert_rows(traces, x=20)
                trace = traces["x.csv"]
                self.assertEqual(trace.count("dispatched"), 20)
                self.assertEqual({row["epoch"] for row in trace.rows}, {"0", "1"})
                self.assertEqual(trace.facts["workers"], "0" if "--workers" in words else "2")
                self.assertIn("x.csv (training)", err)
                self.assertIn("\nChange: ", err)

    def test_loops_that_break(self):
        for words in ("", "--workers 0", "--persistent", "--iterable --persistent"):
            with self.subTest(words):
                _, traces = self.both("train", "--break", "--epochs", "4", *words.split())
                self.assert_rows(traces, x=28)
                self.assertEqual(sum(row["step_end"] == "" for row in traces["x.csv"].rows), 4)

    def test_header(self):
        _, traces = self.both("train", "--temporary", options=["-q"])
        facts = traces["x.csv"].facts
        expected = {"written_by": "dlqueue_run", "loader": "DataLoader", "dataset": "Numbers", "batch_bytes": "1616",
                    "cuda": "0", "length": "10", "drop_last": "False", "role": "train", "argv0": PROGRAMS,
                    "workers": "2", "batch_size": "4", "synchronize": "False", "world": "None"}
        self.assertEqual({name: facts[name] for name in expected}, expected)
        self.assertRegex(facts["worker_ready"], r"^0:\d+\.\d+ 1:\d+\.\d+$")
        self.assertTrue(facts["host"])

    def test_several_loaders(self):
        err, traces = self.both("train", "--validate")
        self.assert_rows(traces, x=20, x_loader2=10)
        self.assertEqual(traces["x.loader2.csv"].facts["role"], "eval")
        self.assertRegex(err, r"x.csv \(training\): .*\n.*x.loader2.csv: Numbers, 10 batches of 3.23 KB, 2 workers")
        self.assert_rows(self.both("two")[1], x=20, x_loader2=20)
        self.assert_rows(self.both("copies")[1], x=20, x_loader2=20, x_loader3=20)
        err, traces = self.both("two", options=["--max-loaders", "1"])
        self.assert_rows(traces, x=20)
        self.assertEqual(err.count("more than 1 loaders: no more are recorded"), 1)

    def test_without_batches(self):
        err, traces = self.both("empty")
        self.assertEqual(traces, {})
        self.assertIn("0 batches", err)
        self.assertNotIn("Gain", err)

    def test_overhead_in_files(self):
        _, traces = self.both("descriptors")
        self.assert_rows(traces, x=250)


class EndsTest(Case):
    def test_of_its_own(self):
        for word, status, least in (("raise", 1, 8), ("interrupt", -signal.SIGINT, 12), ("leave", 5, 10),
                                    ("kill", -signal.SIGKILL, 10), ("terminate", -signal.SIGTERM, 10)):
            with self.subTest(word):
                # Steps of 0.2 s: all but the last second is written.
                self.both("train", "--end", word, "--step", "0.2")
                trace = self.traces()["x.csv"]
                self.assertEqual(self.status, status)
                self.assertTrue(least <= len(trace) <= 13, len(trace))

    def begin(self):
        """A training of hours that has written rows; its group is its own. In one epoch: where Python ends a loader, it
        may take an interrupt for an error of that."""
        self.forget()
        words = self.recording() + [sys.executable, PROGRAMS, "train", "--samples", "1000000", "--step", "0.01"]
        words += ["--pids", "pids"]
        child = subprocess.Popen(words, cwd=self.directory, env=self.environment, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, start_new_session=True)
        self.addCleanup(self.end, child)
        self.wait(lambda: len(self.traces().get("x.csv", ())) > 0)
        with open(os.path.join(self.directory, "pids")) as file:
            return child, [int(pid) for pid in file.read().split()]

    def end(self, child):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.communicate()

    def wait(self, condition):
        end = time.monotonic() + LIMIT
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)

    def test_by_signals(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
            for send in (os.kill, os.killpg):
                with self.subTest(number=number, send=send):
                    child, pids = self.begin()
                    send(child.pid, number)
                    try:
                        _, err = child.communicate(timeout=INTERRUPT_AGAIN)
                    except subprocess.TimeoutExpired:
                        self.assertEqual(number, signal.SIGINT)
                        send(child.pid, number)
                        _, err = child.communicate(timeout=LIMIT)
                    self.assertEqual(child.returncode, -number, err)
                    self.assertIn(b"x.csv (training)", err)
                    self.assertGreater(len(self.traces()["x.csv"]), 0)
                    self.wait(lambda: not any(os.path.exists("/proc/%d" % pid) for pid in pids))
                    self.assert_nothing_left()

    def test_a_killed_command_leaves_the_training_alone(self):
        child, pids = self.begin()
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        rows = len(self.traces()["x.csv"])
        self.wait(lambda: len(self.traces()["x.csv"]) > rows)


class ProcessesTest(Case):
    def test_ranks(self):
        for word in ("children", "mp_spawn", "mp_fork"):
            with self.subTest(word):
                err, traces = self.both(word)
                self.assert_rows(traces, x_rank0=20, x_rank1=20)
                self.assertIn("x.rank0.csv (training", err)
                self.assertIn("of other ranks: x.rank1.csv\n", err)

    def test_fork_of_the_program(self):
        self.assert_rows(self.both("fork")[1], x=20, x_loader2=20)

    def test_shell_scripts(self):
        train = "%s %s train" % (sys.executable, PROGRAMS)
        self.assert_rows(self.both("/bin/sh", "-c", "echo a; exec " + train)[1], x=20)
        self.assert_rows(self.both("/bin/sh", "-c", "%s; %s" % (train, train))[1], x=20, x_loader2=20)

    def test_a_cleared_environment(self):
        _, traces = self.both("cleared")
        self.assertEqual((len(traces["x.csv"]), traces["x.csv"].count("load_start")), (20, 0))

    def test_ways_to_start_python(self):
        os.symlink(PROGRAMS, os.path.join(self.directory, "program.py"))
        self.assert_rows(self.both(sys.executable, "-m", "program", "train")[1], x=20)
        loop = "from torch.utils.data import DataLoader; print(len(list(DataLoader(list(range(20))))))"
        self.assert_rows(self.both(sys.executable, "-c", "import torch; " + loop)[1], x=20)
        self.assert_rows(self.both(sys.executable, "-c", loop)[1], x=20)
        for flag in ("-I", "-E", "-S"):
            paths = ["-c", "import sys; sys.path += %r; " % sys.path + loop]
            err, traces = self.both(sys.executable, flag, *paths)
            self.assertEqual(traces, {})
            self.assertIn("-I, -E and -S", err)
        self.call([sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", "venv"])
        python = os.path.join(self.directory, "venv", "bin", "python")
        self.assert_rows(self.both(python, PROGRAMS, "train")[1], x=20)

    def test_another_sitecustomize(self):
        other = os.path.join(self.directory, "other")
        os.mkdir(other)
        for name, text in (("sitecustomize.py", "import sys, torch; sys.mine = 7\n"), ("helper.py", "x = 8\n")):
            with open(os.path.join(other, name), "w") as file:
                file.write(text)
        loop = "from torch.utils.data import DataLoader; print(len(list(DataLoader(list(range(20))))))"
        show = "import sys, helper; print(sys.mine, helper.x, sys.modules['sitecustomize'].__file__); "
        _, traces = self.both(sys.executable, "-c", show + loop, PYTHONPATH=other)
        self.assert_rows(traces, x=20)

    def test_the_package(self):
        environment = {"PYTHONPATH": HERE, "PATH": os.path.dirname(COMMAND) + ":" + os.environ["PATH"]}
        status, out, err = self.call([sys.executable, "-m", "dlqueue", "run", "-o", "x.csv", PROGRAMS, "train"],
                                     **environment)
        self.assertEqual((status, out[:3]), (0, "20 "), err)
        self.assert_rows(self.traces(), x=20)


class FrameworksTest(Case):
    def test_mocks(self):
        for word, rows in (("accelerate", 20), ("timm", 40), ("fastai", 20), ("stateful", 33)):
            with self.subTest(word):
                traces = self.both(word)[1]
                self.assertEqual(sum(map(len, traces.values())), rows)
                self.assertEqual(sum(trace.count("load_start") for trace in traces.values()), rows)

    def test_a_bug_of_ours(self):
        status, out, err = self.call(self.recording() + [sys.executable, PROGRAMS, "bug"])
        self.assertEqual((status, out), (0, "780\n"))
        self.assertEqual(err.count("dlqueue run: no longer recorded: RuntimeError('a bug of ours')\n"), 1, err)

    def test_a_trace_that_cannot_be_written(self):
        status, out, err = self.call([COMMAND, "run", "-o", "none/x.csv", sys.executable, PROGRAMS, "train"])
        self.assertEqual((status, out[:3]), (0, "20 "))
        self.assertIn("training goes on", err)
        self.assertIn("none/x.csv (training): Numbers, 20 batches", err)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # shells let what runs in their background ignore it
    if len(sys.argv) > 1 and os.path.exists(sys.argv[1]):
        COMMAND = os.path.abspath(sys.argv.pop(1))
    unittest.main()
