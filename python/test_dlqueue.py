"""Tests of the package with the real command: python3 python/test_dlqueue.py DIRECTORY, which holds it."""

import array
import csv
import inspect
import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import time
import types
import unittest
import warnings
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import dlqueue  # noqa: E402

TRACE = HERE.parent / "tests/data/torch/cases/n4_p2_logn1_r1.1.csv"
SHORT = {"simulate": {"batches": 300, "replications": 16}}
SHORT_WORDS = ["--set", "simulate.batches=300", "--set", "simulate.replications=16"]
MODEL = "[pipeline]\nloaders = 8\n[load]\nmean = 700ms\ncv = 0.3\n[step]\nmean = 100ms\n"


slow = unittest.skipUnless({"DLQ_TEST_FULL", "DLQ_TEST_LONG"} & set(os.environ), "scripts/test --full")


def command(*words, **options):
    """What the command itself prints, as JSON where it is that."""
    out = subprocess.run(["dlqueue", *words], stdout=subprocess.PIPE, check=False, encoding="utf-8", **options).stdout
    return json.loads(out) if "--json" in words else out


def plain(value):
    """A result as json.loads() would have it."""
    if isinstance(value, dlqueue.Estimate):
        return vars(value)
    if isinstance(value, dlqueue.Record):
        return {name: plain(each) for name, each in vars(value).items() if name[0] != "_"}
    return [plain(each) for each in value] if isinstance(value, list) else value


class Scratch(unittest.TestCase):
    """Each test has a directory of its own, which it is in."""

    def setUp(self):
        warnings.simplefilter("ignore", RuntimeWarning)  # so few batches are never precise
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(directory.name)
        pathlib.Path("my.ini").write_text(MODEL)

    def fake(self, script):
        """Another command of that name, before the real one in PATH."""
        directory = pathlib.Path("fake")
        directory.mkdir(exist_ok=True)
        (directory / "dlqueue").write_text("#!/bin/sh\n" + script)
        (directory / "dlqueue").chmod(0o755)
        path = mock.patch.dict(os.environ, PATH="%s:%s" % (directory.resolve(), os.environ["PATH"]))
        path.start()
        self.addCleanup(path.stop)


class Calls(Scratch):
    @slow
    def test_keywords_are_the_options(self):
        loads = ["--load", "700ms", "--step", "100ms", "--loaders", "8"]
        three = {"loaders": 8, "load": .7, "step": .1}
        stages = {"loaders": 3, "step": .1, "load.decode.mean": .1, "load.read": {"mean": .25, "cv": .5}}
        grid = {"sweep.loaders": [2, 8], "sweep.load": (.35, "1s")}
        host = {"host": {"cores": 6, "memory": 64e9}, "persistent": True}
        for call, inputs, keywords, words in (
            (dlqueue.solve, [], {**three, "load": "700ms", "cv": .385}, [*loads, "--cv", "0.385"]),
            (dlqueue.solve, [], {**three, "seed": 7, "prefetch": None}, [*loads, "--seed", "7"]),
            (dlqueue.solve, ["my.ini"], {"load.cv": .5}, ["my.ini", "--set", "load.cv=0.5"]),
            (dlqueue.solve, [pathlib.Path("my.ini")], {}, ["my.ini"]),
            (dlqueue.solve, [MODEL], {}, ["-"]),
            (dlqueue.solve, ["my.ini", "my.ini"], {"epoch_batches": 99},
             ["my.ini", "my.ini", "--set", "pipeline.epoch_batches=99"]),
            (dlqueue.solve, ["my.ini"], host,
             ["my.ini", "--set", "host.cores=6", "--set", "host.memory=64GB", "--set", "pipeline.persistent=yes"]),
            (dlqueue.solve, [], stages, ["--loaders", "3", "--step", "100ms", "--set", "load.decode.mean=100ms",
                                         "--set", "load.read.mean=0.25s", "--set", "load.read.cv=0.5"]),
            (dlqueue.plan, ["my.ini"], {"target": .9, "at_most": 20}, ["my.ini", "--target", "90%", "--at-most", "20"]),
            (dlqueue.plan, ["my.ini"], {"target": .99, "at_most": 4}, ["my.ini", "--target", "99%", "--at-most", "4"]),
            (dlqueue.sweep, ["my.ini"], grid,
             ["my.ini", "--set", "sweep.loaders=2, 8", "--set", "sweep.load=350ms, 1s", "-o", "out"]),
            (dlqueue.sweep, ["my.ini"], {"sweep.loaders": range(1, 4)},
             ["my.ini", "--set", "sweep.loaders=1..3", "-o", "out"]),
            (dlqueue.timeline, ["my.ini"], {"from_": 1.5, "until": 3}, ["my.ini", "--from", "1.5s", "--until", "3s"]),
        ):
            with self.subTest(call=call, words=words):
                want = command(call.__name__, *words, *SHORT_WORDS, "--json", input=MODEL, stderr=subprocess.DEVNULL)
                self.assertEqual(plain(call(*inputs, **SHORT, **keywords)), want)

    @slow
    def test_logs(self):
        for call, logs in ((dlqueue.diagnose, 1), (dlqueue.diagnose, 2), (dlqueue.advise, 1), (dlqueue.compare, 2)):
            want = command(call.__name__, *[str(TRACE)] * logs, "--json", stderr=subprocess.DEVNULL)
            self.assertEqual(plain(call(*[TRACE] * logs)), want)
        self.assertEqual(dlqueue.compare(TRACE, after=[TRACE, TRACE]).after.runs, 2)
        self.assertIn(dlqueue.compare(TRACE, TRACE, gate="50%").gate.verdict, ("passed", "unknown"))
        self.assertEqual(plain(dlqueue.fit(TRACE, pipeline={"loaders": 9})),
                         command("fit", str(TRACE), "--set", "pipeline.loaders=9", "--json"))
        log = types.SimpleNamespace(to_csv=lambda index: "data_time,iter_time\n" + "0.1,0.2\n" * 40)
        self.assertEqual(dlqueue.diagnose(log).ratio, .5)
        self.assertEqual(dlqueue.diagnose("0.1/0.2\n" * 40).iterations, 40)

    def test_table(self):
        rows = "loaders,seconds\n1,80\n2,41\n4,22\n8,14\n16,13\n"
        frame = types.SimpleNamespace(to_csv=lambda index: rows)
        fit = dlqueue.fit(table=frame, at=(12, 24), cores=64, batches=1000)
        self.assertLessEqual({12, 24}, {row["loaders"] for row in fit.rows()})
        self.assertEqual(plain(fit), plain(dlqueue.fit(table=rows, at="12,24", cores=64, batches=1000)))
        self.assertIn("Best: ", fit.text)
        self.assertIn(dlqueue.plan(fit, target=.9).answer.loaders, range(5, 17))
        with self.assertRaises(dlqueue.Error):
            dlqueue.advise(TRACE, table=rows)

    def test_from_a_log_to_a_plan(self):
        plan = dlqueue.plan(dlqueue.fit(TRACE), target=.95, **SHORT)
        self.assertTrue(plan.met)
        self.assertIn(plan.answer.loaders, range(11, 15))

    def test_signature_and_documentation(self):
        names = inspect.signature(dlqueue.plan).parameters
        self.assertTrue({"loaders", "batch_size", "target", "at_most", "timeout"} <= set(names))
        self.assertFalse({"json", "output", "log"} & set(names))
        self.assertIn("from_", inspect.signature(dlqueue.timeline).parameters)
        self.assertEqual(dlqueue.solve.__doc__, command("help", "solve"))
        self.assertEqual([row.kind for row in dlqueue.keys() if (row.section, row.key) == ("load", "mean")], ["time"])


class Results(Scratch):
    @slow
    def test_text_and_chart(self):
        for call, words in ((dlqueue.solve, ["solve"]), (dlqueue.plan, ["plan"])):
            result = call("my.ini", **SHORT)
            self.assertEqual(result.text, command(*words, "my.ini", *SHORT_WORDS))
            self.assertEqual(str(result), result.text)
            self.assertIn("</svg>", result.svg())
            self.assertIs(result.svg(), result.svg())
            self.assertNotIn("700 ms", result.svg(no_title=True))
            self.assertIn("<pre>", result._repr_html_())
            self.assertIn('src="data:image/svg+xml;base64,', result._repr_html_())
            self.assertIn(words[0], repr(result))
        self.assertEqual(os.listdir(), ["my.ini"])
        pathlib.Path("b.ini").write_text(MODEL.replace("0.3", "2"))
        both = dlqueue.solve("my.ini", "b.ini", **SHORT)
        self.assertNotEqual(both.svg("my-levers"), both.svg("b-levers"))

    def test_sweep_leaves_no_files(self):
        result = dlqueue.sweep("my.ini", **SHORT, **{"sweep.loaders": [2, 8], "sweep.load": [.35, .7]})
        self.assertEqual(os.listdir(), ["my.ini"])
        grid = ["--set", "sweep.loaders=2,8", "--set", "sweep.load=350ms,700ms"]
        command("sweep", "my.ini", *SHORT_WORDS, *grid, "-o", ".")
        with open("my-sweep.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        lows = ["%.15g" % row["throughput_low"] for row in result.rows()]
        self.assertEqual([row["throughput_low"] for row in rows], lows)
        self.assertEqual(list(rows[0]), list(result.rows()[0]))
        self.assertNotEqual(result.svg("utilization"), result.svg())
        self.assertRaisesRegex(KeyError, "the charts are .*throughput, utilization", result.svg, "utilisation")
        self.assertEqual(result.svg("throughput"), result.svg("throughput"))
        self.assertNotIn("dlqueue-", result.text)

    def test_rows(self):
        plan = dlqueue.plan("my.ini", **SHORT)
        self.assertEqual([row["loaders"] for row in plan.rows()], [each.loaders for each in plan.table])
        self.assertLess(plan.rows()[0]["utilization_low"], plan.rows()[0]["utilization"])
        solved = dlqueue.solve("my.ini", **SHORT)
        self.assertEqual(solved.rows()[0]["bounds_upper"], 10)
        self.assertEqual([row["change"] for row in solved.rows("levers")], [each.change for each in solved.levers])
        self.assertEqual(len(dlqueue.solve("my.ini", "my.ini", **SHORT).rows()), 2)
        self.assertEqual(dlqueue.distributions().rows()[0]["name"], "constant")
        with mock.patch.dict(sys.modules, pandas=types.SimpleNamespace(DataFrame=lambda rows: ("frame", rows))):
            self.assertEqual(plan.to_frame("rules"), ("frame", plan.rows("rules")))
        with mock.patch.dict(sys.modules, pandas=None):
            self.assertRaisesRegex(ImportError, "needs pandas", plan.to_frame)
        self.assertRaisesRegex(KeyError, "'batches': the lists are .*levers", solved.rows, "batches")
        timeline = dlqueue.timeline("my.ini", until=6)
        first, batches = timeline.rows()[0], timeline.rows("batches")
        self.assertEqual((first["batch"], first["load_start"]), (0, 0))
        self.assertAlmostEqual(batches[1]["step_end"], batches[1]["received"] + .1)
        self.assertEqual(len(timeline.rows("ranks")), 1)

    def test_to_dict_is_the_json(self):
        words = ["dlqueue", "solve", "my.ini", "--json", "--quiet", *SHORT_WORDS]
        said = json.loads(subprocess.run(words, stdout=subprocess.PIPE, encoding="utf-8").stdout)
        self.assertEqual(dlqueue.solve("my.ini", **SHORT).to_dict(), said)

    def test_all_commands_are_exported(self):
        exported = {}
        exec("from dlqueue import " + ", ".join(set(dlqueue.__all__) - {"probe"}), exported)
        self.assertIs(exported["plan"], dlqueue.plan)

    def test_measured_times(self):
        times = [.3, .5, .7, .5]
        solved = dlqueue.solve(loaders=4, load=times, step=array.array("d", [.1, .1]))
        self.assertIn("empirical", solved.text)
        pathlib.Path("t.csv").write_text("".join("%g\n" % each for each in times))
        same = dlqueue.solve(loaders=4, load={"distribution": "empirical", "file": "t.csv"}, step=.1)
        self.assertAlmostEqual(solved.simulation.throughput, same.simulation.throughput, places=6)

    def test_records_are_mappings(self):
        answer = dlqueue.plan(load=.7, step=.1, cv=.3).answer
        self.assertEqual(dict(answer)["loaders"], answer.loaders)
        self.assertIn("loaders", list(answer))

    def test_estimates_pass_for_their_values(self):
        run = dlqueue.solve("my.ini", **SHORT).simulation
        self.assertEqual(float(run.utilization), run.utilization.value)
        self.assertEqual("%.3f" % run.utilization.value, f"{run.utilization:.3f}")
        self.assertLess(run.utilization.low, run["utilization"].high)
        share = run.utilization
        self.assertEqual((2 * share, round(share, 2), max(share, 0.0)), (2 * share.value, round(share.value, 2), share.value))
        self.assertEqual(f"{share}", str(share.value))
        again = pickle.loads(pickle.dumps(share))
        self.assertEqual((again, again.low, again["high"]), (share.value, share.low, share.high))

    def test_fields_and_methods_of_one_name(self):
        plan = dlqueue.plan("my.ini", **SHORT)
        self.assertTrue(plan["text"].endswith("."))
        self.assertIn(plan["text"][:40], " ".join(plan.text.split()))

    @slow
    def test_page(self):
        page = dlqueue.report("my.ini", no_explore=True, **SHORT)
        page.save("page.html")
        self.assertTrue(pathlib.Path("page.html").read_text().startswith("<!doctype html>"))
        self.assertIn("<iframe", page._repr_html_())
        self.assertEqual(page, dlqueue.report("my.ini", no_explore=True, **SHORT))

    def test_without_gnuplot(self):
        self.fake('export PATH=/nonexistent\nexec %s "$@"' % os.path.join(COMMAND, "dlqueue"))
        result = dlqueue.solve("my.ini", **SHORT)
        self.assertIsNone(result._repr_svg_())
        self.assertNotIn("<img", result._repr_html_())
        self.assertRaisesRegex(dlqueue.Error, "gnuplot", result.svg)


    def test_progress_is_no_warning(self):
        self.fake('echo "dlqueue: simulating 16 replications of 1.1e9 batches; the bounds say at most 10 batches/s" >&2\n'
                  'echo "dlqueue: 25 %% done, 36 s left" >&2\nexec %s "$@"' % os.path.join(COMMAND, "dlqueue"))
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            dlqueue.solve("my.ini", **SHORT)
        self.assertNotRegex(" ".join(str(each.message) for each in told), "simulating|done")


class Failures(Scratch):
    def test_errors_are_the_commands(self):
        pathlib.Path("bad.ini").write_text("[load]\nmean = 70 parsecs\ncw = 0.3\n")
        with self.assertRaises(dlqueue.Error) as caught:
            dlqueue.solve("bad.ini")
        said = subprocess.run(["dlqueue", "solve", "bad.ini"], stderr=subprocess.PIPE, encoding="utf-8").stderr
        self.assertEqual(str(caught.exception) + "\n", said)
        self.assertEqual((caught.exception.status, len(caught.exception.lines)), (2, said.count("\n")))
        self.assertGreater(len(caught.exception.lines), 1)
        for call, what in (
            (lambda: dlqueue.solve(num_workers=8), "unknown option --num-workers; here it is --loaders"),
            (lambda: dlqueue.solve("my.ini", nonsense=8), "unknown option --nonsense"),
            (lambda: dlqueue.solve("my.ini", host={"coers": 8}), "coers"),
            (lambda: dlqueue.sweep("my.ini", sweep={"load.cv": [0.1, 0.5]}), r"did you mean 'cv' in \[sweep\]"),
            (lambda: dlqueue.diagnose("-x.log"), "cannot read -x.log"),
            (lambda: dlqueue.solve(load=[-1.0, 2.0]), "load:1: column 1: '-1.0' is negative"),
        ):
            self.assertRaisesRegex(dlqueue.Error, what, call)
        for call, what in (
            (lambda: dlqueue.solve("my.ini", mean=1), "load.mean, step.mean"),
            (lambda: dlqueue.solve("my.ini", json=True), "no json"),
            (lambda: dlqueue.solve(MODEL, MODEL), "one input that is not a file"),
            (lambda: dlqueue.plan(dlqueue.solve("my.ini", **SHORT)), "Result"),
            (lambda: dlqueue.solve(load=[[1, 2], [3, 4]]), "load: measured times are a list"),
        ):
            self.assertRaisesRegex(TypeError, what, call)
        for times in ([], [float("nan"), 1.0]):
            self.assertRaisesRegex(ValueError, "step: a measured time", dlqueue.solve, step=times)

    def test_no_command(self):
        with mock.patch.dict(os.environ, PATH="/nonexistent"):
            self.assertRaisesRegex(dlqueue.Error, "not in PATH", dlqueue.solve, "my.ini")
        self.assertRaises(AttributeError, lambda: dlqueue.nonsense)

    def test_warnings(self):
        with self.assertWarnsRegex(RuntimeWarning, "^from totals, ") as caught:
            run = dlqueue.fit(steps="100/12s", loads="100/40s", loaders=8)
        self.assertEqual(run.source, "stopwatch")
        self.assertEqual(caught.filename, __file__)

    def sleeping(self, trap):
        self.fake('[ "$1" = help ] && exec %s "$@"\ntrap "%s" TERM\necho $$ >pid\nwhile :; do sleep 0.05; done'
                  % (os.path.join(COMMAND, "dlqueue"), trap))

    def assert_ended(self):
        with self.assertRaises(ProcessLookupError):
            os.kill(int(pathlib.Path("pid").read_text()), 0)

    def test_timeout_ends_the_command(self):
        for trap, grace in (("exit 143", 5), ("", .1)):
            with self.subTest(trap), mock.patch.object(dlqueue, "GRACE", grace):
                self.sleeping(trap)
                self.assertRaisesRegex(TimeoutError, "no answer within 0.5 s", dlqueue.solve, "my.ini", timeout=.5)
                self.assert_ended()

    def test_interrupt_ends_the_command(self):
        self.sleeping("exit 143")
        dlqueue.keys()

        def interrupt(*_):
            raise KeyboardInterrupt

        previous = signal.signal(signal.SIGALRM, interrupt)
        self.addCleanup(signal.signal, signal.SIGALRM, previous)
        signal.setitimer(signal.ITIMER_REAL, .5)
        self.assertRaises(KeyboardInterrupt, dlqueue.solve, "my.ini")
        self.assert_ended()


if __name__ == "__main__":
    COMMAND = os.path.abspath(sys.argv.pop(1))
    os.environ["PATH"] = COMMAND + ":" + os.environ["PATH"]
    unittest.main()
