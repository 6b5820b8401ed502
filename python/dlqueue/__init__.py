"""Is the data loader the bottleneck of a training, why, and what would help?

    import dlqueue
    run = dlqueue.diagnose("train.log")                       # what a log says
    model = dlqueue.fit("trace.csv")                          # a configuration fitted to it
    plan = dlqueue.plan(model, target=.95, batch_size=256)    # how many workers keep the trainer busy
    plan.answer.loaders, plan.answer.utilization.low          # names as in `dlqueue plan --json`
    print(plan); plan.svg(); plan.to_frame()                  # the report, the chart, the table

Everything is computed by the command `dlqueue`; this package starts it and reads its JSON. Inputs are paths, the text
of a configuration, a table with to_csv() (a log), or what fit() returned. Keywords are the options of the command
(`batch_size=256`), any key of a configuration (`epoch_batches=5005`, `**{"load.cv": .5}`) or one of its sections
(`host={"cores": 12}`). A number for a time is in seconds, for a size in bytes, for a rate in bytes per second, as all
numbers of a result are; texts have units ("700ms"). `load` and `step` may be measured times, a list or an array of
seconds. `timeout` is in seconds.
"""

import base64
import csv
import functools
import hashlib
import html
import inspect
import json
import keyword
import math
import numbers
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import warnings
from types import SimpleNamespace
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

__all__ = ["Command", "Error", "Estimate", "Page", "Record", "Result", "keys", "probe"]  # and the commands, below

BUNDLED = pathlib.Path(__file__).parent / "bin" / "dlqueue"  # in a wheel
UNITS = {"time": "s", "size": "B", "rate": "B/s"}
TABLES = ("rows", "points", "tornado", "table", "moves", "models", "logs")  # of fit, sweep, plan, compare; several inputs
REFUSED = {"json", "csv", "output", "plot", "color", "help", "version"}  # a result has them in other ways
GRACE = 5.0  # seconds in which a command that is told to end may remove what it has not finished


class Error(RuntimeError):
    """The command failed: `lines` are what it said, `status` is its exit status (see `dlqueue --help`)."""

    def __init__(self, lines: List[str], status: int):
        super().__init__("\n".join(lines))
        self.lines = lines
        self.status = status


class Record(SimpleNamespace):
    """An object of the JSON, its fields as attributes."""

    def __getitem__(self, name: str) -> Any:
        return vars(self)[name]

    def keys(self) -> List[str]:
        return list(self)

    def __iter__(self) -> Iterator[str]:
        return iter([name for name in vars(self) if not name.startswith("_")])

    def __float__(self) -> float:
        return float(self.value)

    def __format__(self, form: str) -> str:
        return format(self.value if form and hasattr(self, "value") else str(self), form)


class Estimate(float):
    """A number with the ends of its 95 % interval: value, low and high, as attributes and in vars()."""

    value: float
    low: Optional[float]
    high: Optional[float]

    def __new__(cls, value: float, low: Optional[float] = None, high: Optional[float] = None) -> "Estimate":
        self = super().__new__(cls, value)
        self.value, self.low, self.high = float(value), low, high
        return self

    def __getitem__(self, name: str) -> Any:
        return vars(self)[name]

    def __repr__(self) -> str:
        return "Estimate(%r, low=%r, high=%r)" % (self.value, self.low, self.high)

    __str__ = float.__repr__


def _object(fields: Dict[str, Any]) -> Any:
    """An object of the JSON: an estimate, or else a record."""
    known = set(fields) == {"value", "low", "high"} and fields["value"] is not None
    return Estimate(**fields) if known else Record(**fields)


def find_command() -> str:
    """The command that came with the package, or else the one in PATH."""
    path = str(BUNDLED) if BUNDLED.exists() else shutil.which("dlqueue")
    if path is None:
        raise Error(["dlqueue: the command is not in PATH (Debian: apt install dlqueue)"], 127)
    return path


def run(words: List[str], given: Optional[str] = None, timeout: Optional[float] = None) -> str:
    """What `dlqueue WORDS...` prints, with `given` as its standard input. Its warnings become Python's."""
    pipe = subprocess.PIPE
    source = subprocess.DEVNULL if given is None else pipe
    with subprocess.Popen([find_command(), *words], stdin=source, stdout=pipe, stderr=pipe, encoding="utf-8") as child:
        try:
            out, err = child.communicate(given, timeout)
        except BaseException as reason:
            child.terminate()
            try:
                child.communicate(timeout=GRACE)
            except subprocess.TimeoutExpired:
                child.kill()
            if isinstance(reason, subprocess.TimeoutExpired):
                raise TimeoutError("dlqueue %s: no answer within %g s" % (words[0], reason.timeout)) from None
            raise
    err = re.sub(r"\S*/dlqueue-times-[^/]*/(load|step)-\w+\.csv", r"\1", err)  # measured times are no file of the user
    lines = [line for line in err.splitlines() if not re.match("dlqueue: (simulating|.* % done)", line)]  # progress
    gated = any(word.startswith("--gate") for word in words)
    if child.returncode not in ((0, 1, 3) if gated else (0, 3)) or not out:  # 1: slower; 3: a target can't be met
        raise Error(lines, child.returncode)
    for line in lines:
        warnings.warn(line.replace("dlqueue: warning: ", "", 1), RuntimeWarning, stacklevel=4)
    return out


@functools.lru_cache(maxsize=None)
def _rows() -> Record:
    """The keys and the options that the command knows."""
    return json.loads(run(["help", "configuration", "--json"]), object_hook=_object)


def keys() -> List[Record]:
    """Every key of a configuration: section, key, kind, words, least, most, default, help."""
    return _rows().keys


def _text(value: Any, kind: Optional[str]) -> str:
    """A value as a configuration has it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, numbers.Number):
        return str(value) + UNITS.get(kind or "", "")
    if hasattr(value, "__iter__") and not isinstance(value, str):  # a list, a range, an array
        return ", ".join(_text(each, kind) for each in value)
    return str(value)


@functools.lru_cache(maxsize=None)
def _directory() -> tempfile.TemporaryDirectory:
    """Where measured times lie until Python ends."""
    return tempfile.TemporaryDirectory(prefix="dlqueue-times-")


def _measured(section: str, times: Any) -> List[str]:
    """The settings by which a load or a step has these times, s."""
    try:
        values = [float(time) for time in times]
    except TypeError:
        raise TypeError("%s: measured times are a list or an array of numbers, in seconds" % section) from None
    if not values or not all(map(math.isfinite, values)):
        raise ValueError("%s: a measured time is %s" % (section, "not finite" if values else "needed, there is none"))
    text = "".join("%r\n" % value for value in values)
    path = pathlib.Path(_directory().name, "%s-%s.csv" % (section, hashlib.sha256(text.encode()).hexdigest()))
    path.write_text(text)
    return ["--set", "%s.distribution=empirical" % section, "--set", "%s.file=%s" % (section, path)]


def _setting(path: str, value: Any) -> List[str]:
    """`--set`; load.decode.mean is of the kind that load.mean is."""
    section, key = path.split(".")[0], path.split(".")[-1]
    kind = next((row.kind for row in keys() if (row.section, row.key) == (section, key)), None)
    return ["--set", "%s=%s" % (path, _text(value, kind))]


def _keyword(command: str, name: str, value: Any) -> List[str]:
    """The words of the command line that a keyword stands for."""
    dashed = name.rstrip("_").replace("_", "-")  # from_ is `--from`
    option = next((row for row in _rows().options if row.name == dashed and command in row.commands), None)
    sections = [row.section for row in keys() if row.key == name]
    if dashed in REFUSED:
        raise TypeError("%s() takes no %s: see what its result has" % (command, name))
    if value is None:
        return []
    if isinstance(value, dict):
        return [word for key, each in value.items() for word in _setting("%s.%s" % (name, key), each)]
    if "." in name:
        return _setting(name, value)
    if option is None and len(sections) == 1:
        return _setting("%s.%s" % (sections[0], name), value)
    if option is None and sections:
        paths = ["%s.%s" % (section, name) for section in sections]
        raise TypeError("%s() knows several: %s" % (command, ", ".join(paths)))
    if option is not None and option.key in ("load.mean", "step.mean") and hasattr(value, "__iter__"):
        if not isinstance(value, str):
            return _measured(name, value)
    if option is not None and option.key is not None:
        return ["--%s=%s" % (dashed, _setting(option.key, value)[1].split("=", 1)[1])]
    if isinstance(value, bool):
        return ["--" + dashed] * value
    kind = "time" if option is not None and option.value == "TIME" else None
    several = isinstance(value, (list, tuple)) and option is not None and option.value != "N,N"
    values = value if several else [value]  # such as the logs of several ranks
    return ["--%s=%s" % (dashed, _text(each, kind)) for each in values]


def _input(source: Any) -> Tuple[str, Optional[str]]:
    """An argument as a word, and what standard input is where that word is `-`."""
    if isinstance(source, Result) and hasattr(source, "config"):
        return "-", source.config
    if hasattr(source, "to_csv"):
        return "-", source.to_csv(index=False)
    text = os.fspath(source)
    return ("-", text) if "\n" in text else (text, None)


class _Call(SimpleNamespace):
    """One call of the command: its name, options, operands, standard input, limit in seconds."""

    def run(self, *options: str) -> str:
        return run([self.command, *options, *self.options, "--", *self.operands], self.given, self.timeout)

    def draw(self, *options: str) -> Tuple[str, Dict[str, str]]:
        """What is printed, and the charts by name."""
        with tempfile.TemporaryDirectory(prefix="dlqueue-") as directory:
            out = self.run(*options, "--set", "plot.format=svg", "--set", "plot.directory=" + directory)
            charts = sorted(pathlib.Path(directory).glob("*.svg"))
            out = "".join(line for line in out.splitlines(True) if directory not in line)
            names = [chart.stem.rsplit("-", 1)[-1] for chart in charts]
            if len(set(names)) < len(names):  # of several configurations
                names = [chart.stem for chart in charts]
            return out, {name: chart.read_text(encoding="utf-8") for name, chart in zip(names, charts)}


class Result(Record):
    """What a command found. The attributes are the fields of its JSON: `dlqueue help output` explains them.

    result.text is the report, result.rows() are records. Fields of these names are result["text"] and result["rows"].
    """

    @property
    def text(self) -> str:
        """The report that the command prints."""
        if "_text" not in vars(self):
            self._text = self._call.draw("--quiet")[0] if self._draws else self._call.run("--quiet")
        return self._text

    def svg(self, name: Optional[str] = None, **keywords: Any) -> str:
        """The chart, or that of several with this name ("utilization" of a sweep). Keywords: no_title, size."""
        charts = vars(self).get("_charts")
        if not charts or keywords:
            words = [word for each in keywords.items() for word in _keyword(self.command, *each)]
            charts = self._call.draw("--quiet", *words, *([] if self._draws else ["--plot"]))[1]
        if not keywords:
            self._charts = charts
        if name is not None and name not in charts:
            raise KeyError("%r: the charts are %s" % (name, ", ".join(charts)))
        return charts[name if name is not None else next(iter(charts))]

    def to_dict(self) -> Dict[str, Any]:
        """The fields as in the JSON: dicts, lists, texts and numbers."""
        return _plain(self)

    @property
    def rows(self) -> Callable[..., List[Dict[str, Any]]]:
        """rows(table): the records of a list, as dicts."""
        return self._rows

    def _rows(self, table: Optional[str] = None) -> List[Dict[str, Any]]:
        """The records of a list (`levers` of solve; by default the command's table, or this result as the only one).
        Those of a timeline are its batches."""
        if self.command == "timeline" and table in (None, "batches"):
            return [_numbers(row) for row in csv.DictReader(self._call.run("--csv").splitlines())]
        lists = [name for name, value in vars(self).items() if isinstance(value, list) and name[0] != "_"]
        table = table or next((name for name in (*TABLES, self.command) if name in lists), None)
        if table is not None and table not in lists:
            raise KeyError("%r: the lists are %s" % (table, ", ".join(lists)))
        return [_flat(record) for record in ([self] if table is None else self[table])]

    def to_frame(self, table: Optional[str] = None) -> Any:
        """rows() as a pandas.DataFrame; estimates are three columns: NAME, NAME_low, NAME_high."""
        try:
            import pandas
        except ImportError:
            raise ImportError("to_frame() needs pandas (pip install pandas); rows() has the same without it") from None
        return pandas.DataFrame(self.rows(table))

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return "<dlqueue %s: %s>" % (self.command, ", ".join(name for name in vars(self) if name[0] != "_"))

    def _repr_svg_(self) -> Optional[str]:
        try:
            return self.svg()
        except (Error, StopIteration):  # no gnuplot, no chart: the text says all
            return None

    def _repr_html_(self) -> str:
        chart = self._repr_svg_()
        data = base64.b64encode((chart or "").encode()).decode()
        image = '<img style="max-width: 100%%" src="data:image/svg+xml;base64,%s">' % data if chart else ""
        return "<pre>%s</pre>%s" % (html.escape(self.text), image)


def _plain(value: Any) -> Any:
    """Records and estimates as dicts."""
    if isinstance(value, (Estimate, Record)):
        return {name: _plain(each) for name, each in vars(value).items() if name[0] != "_"}
    return [_plain(each) for each in value] if isinstance(value, list) else value


def _numbers(row: Dict[str, str]) -> Dict[str, Any]:
    """The cells of a row of CSV as numbers; empty ones as None."""
    return {name: json.loads(cell) if cell else None for name, cell in row.items()}


def _flat(record: Record) -> Dict[str, Any]:
    """The fields of a record as the cells of a row; lists are left out."""
    row = {}
    for name, value in vars(record).items():
        if isinstance(value, (Estimate, Record)):
            estimate = {"value", "low", "high"} == set(vars(value))
            ends = {"value": "", "low": "_low", "high": "_high"} if estimate else {}
            row.update((name + ends.get(key, "_" + key), cell) for key, cell in _flat(value).items())
        elif not isinstance(value, list) and name[0] != "_":
            row[name] = value
    return row


class Page(str):
    """The page of report(), as HTML. Notebooks show it."""

    def save(self, path: Any) -> None:
        """Writes the page to a file."""
        pathlib.Path(path).write_text(self, encoding="utf-8")

    def _repr_html_(self) -> str:
        return '<iframe style="width: 100%%; height: 50em" srcdoc="%s"></iframe>' % html.escape(self)


class Command:
    """A command of dlqueue as a function. Its documentation is that of `dlqueue help NAME`."""

    def __init__(self, name: str):
        self.__name__ = self.__qualname__ = name

    def __call__(self, *inputs: Any, timeout: Optional[float] = None, **keywords: Any) -> Any:
        name = self.__name__
        table = [_input(keywords.pop("table"))] if keywords.get("table") is not None else []
        words = [word for each in keywords.items() for word in _keyword(name, *each)]
        words += ["--table=" + word for word, _ in table]
        operands = [_input(source) for source in inputs]
        given = [text for _, text in operands + table if text is not None]
        if len(given) > 1:
            raise TypeError("%s() takes one input that is not a file" % name)
        files = [word for word, _ in operands]
        call = _Call(command=name, options=words, operands=files, given="".join(given) or None, timeout=timeout)
        if name == "report":
            return Page(call.run("--output=-"))
        takes = {row.name: name in row.commands for row in _rows().options}
        draws = takes["no-title"] and not takes["plot"]  # its charts come unasked, and into files
        out, charts = call.draw("--json") if draws else (call.run("--json"), {})
        fields = json.loads(out, object_hook=_object)
        return Result(**vars(fields), _call=call, _draws=draws, _charts=charts)

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        return run(["help", self.__name__])

    @property
    def __signature__(self) -> inspect.Signature:
        kind = inspect.Parameter
        rows = [row.name for row in _rows().options if self.__name__ in row.commands and row.name not in REFUSED]
        names = [name.replace("-", "_") + "_" * keyword.iskeyword(name) for name in rows]
        options = [kind(name, kind.KEYWORD_ONLY, default=None) for name in (*names, "timeout")]
        ends = kind("inputs", kind.VAR_POSITIONAL), kind("keys", kind.VAR_KEYWORD)
        return inspect.Signature([ends[0], *options, ends[1]])

    def __repr__(self) -> str:
        return "<dlqueue.%s: dlqueue help %s says more>" % (self.__name__, self.__name__)


solve, sweep, plan, timeline = Command("solve"), Command("sweep"), Command("plan"), Command("timeline")
diagnose, fit, advise, compare = Command("diagnose"), Command("fit"), Command("advise"), Command("compare")
report, check = Command("report"), Command("check")
loaders, distributions, instances = Command("loaders"), Command("distributions"), Command("instances")
__all__ += [name for name, value in list(globals().items()) if isinstance(value, Command)]


def main() -> None:
    """The command itself, for the script that pip installs."""
    import sys

    os.execv(find_command(), ["dlqueue", *sys.argv[1:]])


def __getattr__(name: str) -> Any:
    """`from dlqueue import probe` needs torch; the rest does not."""
    if name == "__version__":
        return run(["--version"]).split()[1]
    if name != "probe":
        raise AttributeError("module 'dlqueue' has no attribute %r" % name)
    from dlqueue_probe import probe

    return probe
