"""The page of `dlqueue report` as a file: test_page.py COMMAND CONFIGS LOG. Without a browser."""
import base64
import hashlib
import html
import html.parser
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest

COMMAND, CONFIGS, LOG = (os.path.abspath(path) for path in sys.argv[1:4])
TAIL = os.path.join(CONFIGS, "tail.ini")
SHORT = ["--set", "simulate.batches=2000"]
LONG = "DLQ_TEST_LONG" in os.environ
FULL = LONG or "DLQ_TEST_FULL" in os.environ
FEW = "DLQ_TEST_FEW" in os.environ  # with sanitizers the thousands of points of a page take minutes


def run(*arguments, status=0):
    done = subprocess.run([COMMAND, *arguments], capture_output=True, timeout=600, check=False)
    assert done.returncode == status, (arguments, done.returncode, done.stderr.decode())
    return done


class Parser(html.parser.HTMLParser):
    """Tags with their attributes, and the raw text of scripts and styles."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.raw, self.ids, self.inside = [], [], [], False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.ids += [value for name, value in attributes if name == "id"]
        self.inside = tag in ("script", "style")
        if self.inside:
            self.raw.append([tag, dict(attributes), ""])

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.raw[-1][2] += data


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S).group(1))


def rounded(value):
    """As the page has numbers: nine digits."""
    if isinstance(value, dict):
        return {key: rounded(part) for key, part in value.items()}
    if isinstance(value, list):
        return [rounded(part) for part in value]
    return float(f"{value:.9g}") if isinstance(value, float) else value


class Grid:
    def __init__(self, grid):
        self.grid, self.axes = grid, grid["axes"]
        self.x, self.u, self.h, self.b = (base64.b64decode(grid[key]) for key in "xuhb")

    def point(self, at):
        k = 0
        for axis, i in zip(self.axes, at):
            k = k * len(axis["values"]) + i
        x, busy = (int.from_bytes(parts[2 * k:2 * k + 2], "little") for parts in (self.x, self.u))
        x *= self.grid["scale"]
        half = x * 1e-4 * 2 ** ((self.h[k] - 1) / 16) if self.h[k] else 0
        return x, half, busy / 65535


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.path = os.path.join(cls.directory.name, "tail.html")
        run("report", TAIL, *SHORT, *["--no-explore"] * FEW, "-o", cls.path)
        with open(cls.path, encoding="utf-8") as file:
            cls.page = file.read()
        cls.parsed, cls.data = Parser(cls.page), data_of(cls.page)

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    def made(self, *arguments):
        path = os.path.join(self.directory.name, "other.html")
        run("report", *arguments, "-o", path)
        with open(path, encoding="utf-8") as file:
            return file.read()

    def test_slots_are_filled(self):
        without = re.sub(r"<script.*?</script>", "", self.page, flags=re.S)
        self.assertNotIn("{{", without)
        self.assertIn("The variance of the load is the bottleneck", without)
        self.assertIn("What one change gains", without)  # of the text report
        self.assertEqual(len(self.parsed.ids), len(set(self.parsed.ids)))

    def test_charts_have_two_sizes(self):
        sizes = re.findall('<svg viewBox="([^"]*)" role="img"><title>[a-z ]+</title>', self.page)
        self.assertEqual(sizes, ["0 0 1040 590", "0 0 320 440"] * (len(sizes) // 2))
        self.assertEqual(len(sizes), 6)
        self.assertIn('aria-label="in order against as completed"', self.page)
        self.assertNotIn("in order against", self.made(TAIL, *SHORT, "--no-explore", "--loader", "pytorch-unordered"))

    def test_size(self):
        self.assertLess(os.path.getsize(self.path), 700_000)

    def test_policy(self):
        policy = next(a["content"] for tag, a in self.parsed.tags if a.get("http-equiv") == "Content-Security-Policy")
        for tag, attributes, text in self.parsed.raw:
            if attributes.get("type") == "application/json":
                continue
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            self.assertIn(f"{tag}-src 'sha256-{digest}'", policy)
        self.assertIn("default-src 'none'", policy)

    def test_nothing_is_loaded(self):
        for tag, attributes in self.parsed.tags:
            for name, value in attributes.items():
                self.assertFalse(name.startswith("on") or name == "style", (tag, name))
                if name in ("src", "href", "xlink:href", "action", "data", "srcset"):
                    self.assertTrue(value.startswith("#"), (tag, name, value))

    def test_data_are_the_answers(self):
        for command in ("solve", "plan"):
            told = json.loads(run(command, TAIL, *SHORT, "--json").stdout)
            self.assertEqual(rounded(told), self.data[command])
        self.assertEqual(self.data["page"], 1)
        self.assertEqual(self.data["kind"], "configuration")
        self.assertEqual(self.data["timeline"]["command"], "timeline")
        for command in ("report", "solve", "plan", "sweep", "timeline"):
            self.assertIn(f"dlqueue {command} tail.ini", self.page)

    def test_waterfall(self):
        """From the throughput, each fall higher than the one before, to the rate of the step."""
        solve, falls = self.data["solve"], self.data["waterfall"]
        rates = [solve["simulation"]["throughput"]["value"], *(fall["throughput"] for fall in falls)]
        self.assertEqual(rates, sorted(rates))
        self.assertEqual(falls[0]["cause"], solve["verdict"]["bound_by"])
        self.assertAlmostEqual(rates[-1], solve["bounds"]["step"], delta=1e-3 * rates[-1])
        self.assertEqual(falls[0]["name"], "the variance of the load")

    @unittest.skipIf(FEW, "with sanitizers")
    def test_points_are_what_their_commands_say(self):
        grid = Grid(self.data["grid"])
        for axis in grid.axes:
            self.assertIn(axis["own"], axis["values"])
            self.assertEqual(len(axis["option"]), len(axis["values"]))
        own = [axis["values"].index(axis["own"]) for axis in grid.axes]
        sizes = [len(axis["values"]) for axis in grid.axes]
        points = [[(3 * k + 2 * a + 1) % sizes[a] for a in range(len(sizes))] for k in range(3)]
        for at in points:
            options = [axis["option"][i] for axis, i, mine in zip(grid.axes, at, own) if i != mine]
            solved = json.loads(run("solve", TAIL, "--json", *" ".join(options).split()).stdout)
            estimate, (x, half, busy) = solved["simulation"]["throughput"], grid.point(at)
            both = (estimate["high"] - estimate["low"]) / 2 + half + 2e-4 * x
            self.assertLess(abs(x - estimate["value"]), 2 * both, (at, options))
            self.assertLess(abs(busy - solved["simulation"]["utilization"]["value"]), 2 * both / x, (at, options))

    def test_same_bytes(self):
        few = [] if LONG else ["--loader", "serial", "--loaders", "0"]
        page = self.made(TAIL, *SHORT, *few, "--threads", "2")
        self.assertEqual(self.made(TAIL, *SHORT, *few, "--threads", "1"), page)
        self.assertIn("grid", data_of(page))
        self.assertNotIn(self.directory.name, self.page)

    def test_hostile_names(self):
        name = "</script><img src=x onerror=alert(1)>&amp;\u2028'\"{{script}}<!--"
        page = self.made("--loaders", "2", "--load", "1s", "--step", "1s", "--no-explore", "--set", "pipeline.name=" + name)
        parsed = Parser(page)
        self.assertNotIn("img", [tag for tag, _ in parsed.tags])
        self.assertEqual(data_of(page)["solve"]["name"], name)
        self.assertEqual(len(parsed.raw), 3)

    @unittest.skipUnless(FULL, "scripts/test --full")
    def test_several(self):
        paths = [os.path.join(CONFIGS, name) for name in ("tail.ini", "fastai.ini")]
        page = self.made(*paths, *SHORT, "--no-explore")
        reports = data_of(page)["reports"]
        self.assertEqual([report["solve"]["loaders"] for report in reports], [8, 11])
        self.assertEqual(page.count("<article"), 2)
        self.assertNotIn("grid", reports[0])

    def test_warnings(self):
        page = self.made(TAIL, "--no-explore", "--set", "simulate.batches=7", "--set", "simulate.replications=2")
        warnings = data_of(page)["solve"]["warnings"]
        self.assertGreater(len(warnings), 2)
        for warning in warnings:
            self.assertIn(html.escape(warning), re.sub(r"<script.*?</script>", "", page, flags=re.S))

    @unittest.skipUnless(FULL, "scripts/test --full")
    def test_log(self):
        page = self.made("--log", LOG, "--no-explore")
        self.assertIn("dlqueue report --log ", page)
        labels = re.findall('aria-label="([^"]*)"', page)
        self.assertIn("waits for data over the iterations, and by their length", labels)
        data = data_of(page)
        self.assertEqual(data["kind"], "log")
        missing = {"diagnose", "fit", "advise", "timeline", "record", "solve"} - set(data)
        self.assertEqual(missing, set())
        self.assertEqual(json.loads(run("advise", LOG, "--json").stdout)["change"], data["advise"]["change"])
        self.assertEqual(rounded(json.loads(run("fit", LOG, "--json").stdout)["load"]), data["fit"]["load"])

    @unittest.skipUnless(FULL, "scripts/test --full")
    def test_two_runs(self):
        """The comparison is that of `compare`, and its verdict the headline."""
        after = os.path.join(os.path.dirname(LOG), "n4_p2_const_r2.csv")
        page = self.made("--log", LOG, "--log", after, "--compare", "--no-explore")
        data, told = data_of(page), json.loads(run("compare", LOG, after, "--json").stdout)
        self.assertEqual(data["compare"], rounded(told))
        self.assertEqual([report["diagnose"]["iterations"] for report in data["reports"]], [400, 400])
        headline = re.search("<h1[^>]*>(.*?)</h1>", page).group(1)
        self.assertTrue(told["verdict"]["text"].startswith(html.unescape(headline)), headline)
        self.assertIn(" --log n4_p2_const_r2.csv --compare", page)
        self.assertIn("dlqueue diagnose n4_p2_const_r2.csv", page)

    @unittest.skipUnless(FULL, "scripts/test --full")
    def test_interrupt(self):
        """Interrupted while it waits for a log: the page has the log before it, and without one there is no page."""
        path, pipe, log = (os.path.join(self.directory.name, name) for name in ("half.html", "log.csv", "whole.csv"))
        os.mkfifo(pipe)
        with open(log, "w", encoding="utf-8") as file:
            file.write("data_time,iter_time\n" + "".join(f"0.0{k % 7},0.1{k % 7}\n" for k in range(60)))
        for logs, told in (((pipe, log), b"no page is written"), ((log, pipe), b"what was finished is in ")):
            words = [COMMAND, "report", "--compare", "--no-explore", "-o", path]
            with subprocess.Popen(words + [word for name in logs for word in ("--log", name)], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE) as child:
                with open(pipe, "wb"):  # once it reads; then the pipe ends, as the signal may come just before
                    child.send_signal(signal.SIGINT)
                said = child.communicate(timeout=600)[1]
            self.assertEqual((child.returncode, told in said), (130, True), said)
            self.assertEqual(os.path.exists(path), logs[0] == log)
        with open(path, encoding="utf-8") as file:
            page = file.read()
        self.assertEqual(data_of(page)["diagnose"]["iterations"], 60)
        self.assertIn("Interrupted: this page holds what was finished by then.", page)

    def test_log_pages_do_not_contradict_themselves(self):
        """The share that the key figures have is the verdict's; no model where it would not be that of the log."""
        made = os.path.join(self.directory.name, "made.csv")
        steps = [(epoch, i, rank, 2 if i == 0 else 0.2 if i % 8 == 4 * rank + 1 else 0.001)
                 for epoch in range(3) for i in range(40) for rank in range(2)]
        epochs, ranks = ([(e, i, r, wait, max(w for x, y, z, w in steps if (x, y) == (e, i) and z in kept) + 0.1)
                          for e, i, r, wait in steps if r in kept] for kept in ((0,), (0, 1)))
        logs = os.path.join(os.path.dirname(LOG), "..", "..", "logs")
        cases = [(os.path.join(logs, "csv-ranks.csv"), "70.4 %", "a rank’s own data: 35.5 %", None),
                 (os.path.join(logs, "timm-reference.log"), "65.4 %", "of the time", "number of loaders is unknown"),
                 (os.path.join(logs, "probe_4_workers.csv"), "7.47 %", "of the time", None),
                 (epochs, "21.0 %", "with the starts of epochs 43.1 %", "number of loaders is unknown"),
                 (ranks, "34.2 %", "a rank’s own data: 17.4 %", "number of loaders is unknown")]
        for log, text, apart, why in cases:
            if not isinstance(log, str):
                with open(made, "w", encoding="utf-8") as file:
                    file.write("epoch,iter,rank,data_time,iter_time\n")
                    file.writelines(",".join(map(str, row)) + "\n" for row in log)
                log = made
            page = self.made("--log", log, "--no-explore")
            data = data_of(page)
            self.assertEqual((data["waiting"]["text"], data["waiting"]["apart"]), (text, apart), log)
            self.assertIn(text, data["diagnose"]["verdict"]["text"])
            self.assertEqual({"solve", "plan"} & set(data), set() if why else {"solve", "plan"}, log)
            self.assertEqual(why is not None, "no gains, no sliders and no plan: " in page, log)
            self.assertIn(why or "", page)

    def test_record_is_the_run(self):
        record = self.data["record"]
        self.assertEqual(len(record["worker"]), len(record["start"]))
        self.assertEqual(len(record["receive"]), len(record["step"]))
        self.assertGreater(len(record["step"]), 300)
        received = 0
        for delta, step in zip(record["receive"], record["step"]):
            received += delta
            self.assertEqual(step, 1000)  # 100 ms
        self.assertLessEqual((received) * record["unit"], record["end"])

    @unittest.skipUnless(FULL, "scripts/test --full")
    def test_slow_phases_and_pauses(self):
        self.assertEqual({"pause", "slow"} & set(self.data["record"]), set())
        record = data_of(self.made(os.path.join(CONFIGS, "hiccups.ini"), "--no-explore"))["record"]
        self.assertEqual({loader for loader, *_ in record["slow"]}, set(range(8)))
        for _, begin, end, speed in record["slow"]:
            self.assertEqual(speed, 0)
            self.assertLess(abs((end - begin) * record["unit"] - 6), 2 * record["unit"])
        self.assertTrue(any(begin * record["unit"] < record["at"] < end * record["unit"]
                            for _, begin, end, _ in record["slow"]))
        record = data_of(self.made(os.path.join(CONFIGS, "checkpoints.ini"), "--no-explore"))["record"]
        self.assertEqual(len(record["pause"]), len(record["step"]))
        for number, (pause, step) in enumerate(zip(record["pause"], record["step"])):
            self.assertEqual(pause * record["unit"], 20 if number % 100 == 99 else 0)
            self.assertAlmostEqual((step - pause) * record["unit"], 0.19, delta=record["unit"])

    def test_errors(self):
        missing = os.path.join(self.directory.name, "missing", "x.html")
        self.assertIn(b"cannot write", run("report", TAIL, "--no-explore", "-o", missing, status=1).stderr)
        self.assertIn(b"No space left", run("report", TAIL, *SHORT, "--no-explore", "-o", "/dev/full", status=1).stderr)
        run("report", TAIL, "--log", LOG, status=2)
        run("report", TAIL, "--json", status=2)
        run("report", "nothere.ini", status=2)
        run("report", "--log", TAIL, status=2)
        for wrong in ([TAIL], ["--log", LOG], ["--log", LOG, "--log", LOG, "--log", LOG]):
            self.assertIn(b"needs two logs", run("report", *wrong, "--compare", status=2).stderr)

    def test_opens(self):
        """$BROWSER gets the whole path; a page that cannot be opened is written all the same."""
        path, opened = (os.path.join(self.directory.name, name) for name in ("my page.html", "opened"))
        few = [COMMAND, "report", "--loaders", "2", "--load", "1s", "--step", "1s", "--no-explore", "--open"]
        browser = os.path.join(self.directory.name, "browser")
        with open(browser, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nprintf %s "$1" >{opened}\n')
        os.chmod(browser, 0o755)
        for name, status, says in ((browser, 0, b""), ("false", 1, b"false did not open it"),
                                   ("/nonexistent/browser", 1, b"set BROWSER"), ("", 1, b"xdg-open did not open it")):
            environment = {"PATH": "/nonexistent" if name == "" else os.environ["PATH"], "BROWSER": name}
            done = subprocess.run([*few, "-o", os.path.basename(path)], cwd=self.directory.name, env=environment,
                                  capture_output=True, timeout=600, check=False)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertIn(says, done.stderr)
            self.assertTrue(os.path.exists(path))
            os.remove(path)
        with open(opened, encoding="utf-8") as file:
            self.assertEqual(file.read(), os.path.realpath(path))
        done = subprocess.run([*few, "-o", "/dev/stdout"], capture_output=True, timeout=600, check=False)
        self.assertIn(b"/dev/stdout: cannot be opened: No such file", done.stderr, "a pipe has no path")
        self.assertIn(b"needs a file", run("report", TAIL, "--open", "-o", "-", status=2).stderr)

    def test_without_gnuplot(self):
        path = os.path.join(self.directory.name, "plain.html")
        done = subprocess.run([COMMAND, "report", TAIL, *SHORT, "--no-explore", "-o", path], env={"PATH": "/nonexistent"},
                              capture_output=True, timeout=600, check=False)
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"the page has no charts", done.stderr)
        with open(path, encoding="utf-8") as file:
            self.assertIn("There are no charts: ", file.read())


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # shells let what runs in their background ignore it
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
