"""The build command of `pyproject.toml`: every .pyx file of the packages is an extension module."""

import os
import subprocess
import sys
from pathlib import Path

import numpy
from Cython.Build import cythonize
from Cython.Build.Dependencies import create_extension_list
from Cython.Compiler.Main import Context
from Cython.Compiler.Options import CompilationOptions
from setuptools.command import build_ext as command

# -ffp-contract=off keeps search trees equal across machines. -g0 saves a quarter of the build's
# time. The level of optimisation is given here because CFLAGS from outside would replace Python's
# own; a level that these name counts for all. The first line of a .pyx file asks for another than
# -O2: -O1 where little runs within a search, which builds in half the time, and -O3 where it is
# measurably faster. MSVC ignores what it does not know, with warning D9002 (all but -O1 and -O2,
# which it has), and optimises by setuptools' own /O2; from Visual Studio 2022 on it contracts
# nothing unless told to.
FLAGS = ["-ffp-contract=off", "-g0"]
NAMES_LEVEL = "-O" in os.environ.get("CFLAGS", "")


class build_ext(command.build_ext):  # noqa: N801  # setuptools looks up the options by this name
    """Expands the pattern of `ext-modules`, and runs both compilers on all cores."""

    def finalize_options(self):  # noqa: D102
        sources = self.distribution.ext_modules[0].sources
        if "*" in sources[0]:  # else a command before this one expanded it
            context = Context.from_options(CompilationOptions())
            modules, _ = create_extension_list(sources, ctx=context)
            for module in modules:
                level = [] if NAMES_LEVEL else ["-O2", *module.extra_compile_args]
                module.extra_compile_args = [*FLAGS, *level]
                module.include_dirs = [numpy.get_include()]
            self.distribution.ext_modules = modules
        super().finalize_options()

    def build_extensions(self):  # noqa: D102
        subprocess.run([sys.executable, ".ci/stubs.py"], check=True)
        for extension in self.extensions:  # into the wheel, for which build_py came too early
            stub = Path(extension.sources[0]).with_suffix(".pyi")
            self.mkpath(str(Path(self.build_lib) / stub.parent))
            self.copy_file(str(stub), str(Path(self.build_lib) / stub))
        # One by one, as the command of Cython does it, the C files are then found up to date.
        cythonize(
            self.extensions, nthreads=os.cpu_count(), compiler_directives=self.cython_directives
        )
        self.extensions.sort(key=lambda extension: -Path(extension.sources[0]).stat().st_size)
        super().build_extensions()  # the largest first, so that no core waits for one at the end
