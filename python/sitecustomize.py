"""Runs first in every Python below `dlqueue run`, which puts it on PYTHONPATH: once torch has been imported, its
DataLoaders are recorded (install() of dlqueue_probe.py). Elsewhere it does nothing but give way to the sitecustomize
that it hides. Nothing is imported that Python has not already at its start: importlib.util alone takes 6 ms."""

import os
import sys

WATCHED = ("torch", "torch.utils.data")


class Finder:
    """Finds torch as the other finders do, and calls back when both modules have been executed: torch imports the
    other half-way through its own import, or later."""

    def __init__(self, directory):
        self.directory = directory
        self.executed = set()

    def find_spec(self, name, path=None, target=None):
        if name not in WATCHED:
            return None
        others = (finder for finder in sys.meta_path if finder is not self and hasattr(finder, "find_spec"))
        spec = next((found for found in (finder.find_spec(name, path, target) for finder in others) if found), None)
        if hasattr(getattr(spec, "loader", None), "exec_module"):
            self.watch(spec.loader)
        return spec

    def watch(self, loader):
        execute = loader.exec_module

        def exec_module(module):
            vars(loader).pop("exec_module", None)
            execute(module)
            self.executed.add(module.__name__)
            if self.executed.issuperset(WATCHED):
                self.install()

        loader.exec_module = exec_module

    def install(self):
        try:
            sys.meta_path.remove(self)
            from importlib.util import module_from_spec, spec_from_file_location

            spec = spec_from_file_location("_dlqueue_probe", os.path.join(self.directory, "dlqueue_probe.py"))
            sys.modules[spec.name] = probe = module_from_spec(spec)
            spec.loader.exec_module(probe)
            of = os.environ.get
            most = int(of("DLQUEUE_MAX_LOADERS", "16"))
            probe.install(self.directory, os.environ["DLQUEUE_OUT"], "DLQUEUE_SYNCHRONIZE" in os.environ, most)
        except Exception as error:  # never the program's trouble
            sys.stderr.write("dlqueue run: not recorded: %r\n" % (error,))


def run_hidden(here):
    """The sitecustomize that would have run; its errors are what they would have been."""
    from _frozen_importlib import module_from_spec
    from _frozen_importlib_external import PathFinder

    spec = PathFinder.find_spec("sitecustomize", [path for path in sys.path if os.path.abspath(path) != here])
    if spec is None or spec.loader is None:
        return
    ours = sys.modules["sitecustomize"]
    sys.modules["sitecustomize"] = hidden = module_from_spec(spec)
    try:
        spec.loader.exec_module(hidden)
    except BaseException:
        sys.modules["sitecustomize"] = ours
        raise


def start():
    here = os.path.dirname(os.path.abspath(__file__))
    if os.path.basename(here).startswith("dlqueue-run-"):
        # The program sees the sys.path that it would have; what it starts has the variable.
        sys.path[:] = [path for path in sys.path if path != here]
    if os.environ.get("DLQUEUE_RUN") == here:  # and not another run around this one
        try:
            open(os.path.join(here, "python.%d" % os.getpid()), "w").close()
            sys.meta_path.insert(0, Finder(here))
        except OSError:
            pass
    run_hidden(here)


start()
