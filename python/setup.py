"""Builds the command with CMake and puts it into the wheel; the version is that of CMakeLists.txt."""

import os
import pathlib
import re
import shutil
import subprocess

from setuptools import setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel  # since setuptools 70.1
except ImportError:
    try:
        from wheel.bdist_wheel import bdist_wheel
    except ImportError:
        raise SystemExit(
            "dlqueue: a wheel needs setuptools 70.1 or later, or the package wheel: pip install wheel (Debian: "
            "apt install python3-wheel, and a virtual environment with --system-site-packages)"
        ) from None

SOURCE = pathlib.Path(__file__).resolve().parent.parent
BUILT = SOURCE / "build" / "python"
# scripts/package --wheel: a wheel for other machines, which contains all libraries but the C library.
PORTABLE = "DLQUEUE_PORTABLE" in os.environ


def version():
    try:
        return re.search(r"project\(dlqueue VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text()).group(1)
    except OSError:
        raise SystemExit("dlqueue: no sources in %s; this needs a clone, and pip 21.3 or later" % SOURCE) from None


class BuildCommand(build_py):
    def run(self):
        shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()
        cmake = BUILT / "cmake"
        static = "-DDLQUEUE_STATIC=" + ("ON" if PORTABLE else "OFF")
        subprocess.run(["cmake", "-S", SOURCE, "-B", cmake, "-DBUILD_TESTING=OFF", static], check=True)
        # A number, for without one make compiles all files at once.
        jobs = str(os.cpu_count() or 1)
        subprocess.run(["cmake", "--build", cmake, "--target", "dlqueue-command", "--parallel", jobs], check=True)
        directory = pathlib.Path(self.build_lib, "dlqueue", "bin")
        directory.mkdir(parents=True, exist_ok=True)
        shutil.copy2(cmake / "dlqueue", directory)


class PlatformWheel(bdist_wheel):
    """Any Python, but one kind of machine."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return ("py3", "none", portable_tag() if PORTABLE else super().get_tag()[2])


def portable_tag():
    """manylinux_2_35_x86_64: the command needs this version of the C library, and no other library."""
    symbols = subprocess.run(["objdump", "-T", BUILT / "cmake" / "dlqueue"], check=True, stdout=subprocess.PIPE).stdout
    needed = max(tuple(map(int, pair)) for pair in re.findall(rb"GLIBC_(\d+)\.(\d+)", symbols))
    return "manylinux_%d_%d_%s" % (*needed, os.uname().machine)


BUILT.mkdir(parents=True, exist_ok=True)
setup(
    version=version(),
    cmdclass={"build_py": BuildCommand, "bdist_wheel": PlatformWheel},
    options={"build": {"build_base": str(BUILT)}, "egg_info": {"egg_base": str(BUILT)}},
)
