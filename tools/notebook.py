"""python3 tools/notebook.py [--write]: runs examples/plan.ipynb with the package and the command of this clone
(build/release), and fails if the notebook shows other texts and tables than before; with --write, saves what it shows.
Needs Debian's python3-nbclient, python3-ipykernel and python3-pandas.
"""

import os
import pathlib
import sys
import tempfile

import nbclient
import nbformat

ROOT = pathlib.Path(__file__).resolve().parent.parent
PATH = ROOT / "examples" / "plan.ipynb"


def shown(notebook):
    """The outputs of all cells except charts, which depend on gnuplot."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {"text/plain": output.get("text")})
            yield {kind: "".join(text).split("<img")[0] for kind, text in data.items() if kind != "image/svg+xml"}


def main():
    os.environ["PATH"] = "%s:%s" % (ROOT / "build" / "release", os.environ["PATH"])
    os.environ["PYTHONPATH"] = str(ROOT / "python")
    notebook = nbformat.read(PATH, as_version=4)
    before = list(shown(notebook))
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as directory:
        inside = pathlib.Path(directory, "examples")
        inside.mkdir()
        pathlib.Path(directory, "tests").symlink_to(ROOT / "tests")
        nbclient.execute(notebook, cwd=str(inside), kernel_name="python3", record_timing=False)
        assert (inside / "plan.html").stat().st_size > 100000
    if sys.argv[1:] == ["--write"]:
        nbformat.write(notebook, PATH)
        return 0
    now = list(shown(notebook))
    for was, is_now in zip(before, now):
        if was != is_now:
            print("was: %s\nnow: %s" % (was, is_now))
    return before != now


if __name__ == "__main__":
    sys.exit(main())
