"""The build command that `pyproject.toml` names: every .pyx file of the packages is an extension module."""

import os

from Cython.Build import cythonize
from Cython.Build.Dependencies import create_extension_list
from Cython.Compiler.Main import Context
from Cython.Compiler.Options import CompilationOptions
from setuptools.command.build_ext import build_ext

# -ffp-contract=off keeps search trees equal across machines. The level is given here because CFLAGS from
# outside would replace Python's own; where little runs within a search, a .pyx file's first line asks for -O1:
# such modules build in half the time and lose no speed. -g0 saves a quarter of the build's time. MSVC
# ignores what it does not know, with warning D9002 (all but -O1, which it has), and optimises by setuptools'
# own /O2; from Visual Studio 2022 on it contracts nothing unless told to.
FLAGS = ["-O3", "-g0", "-ffp-contract=off"]


class BuildExt(build_ext):
    """Expands the globs of `ext-modules`, and runs both compilers on all cores."""

    def finalize_options(self):
        sources = self.distribution.ext_modules[0].sources
        if "*" in sources[0]:  # else a build_ext before this one expanded it
            context = Context.from_options(CompilationOptions())
            modules, _ = create_extension_list(sources, ctx=context)
            for module in modules:
                module.extra_compile_args = [*FLAGS, *module.extra_compile_args]
            self.distribution.ext_modules = modules
        super().finalize_options()

    def build_extensions(self):
        # What is made here is up to date when each extension is built.
        cythonize(
            self.extensions, nthreads=os.cpu_count(), compiler_directives=self.cython_directives
        )
        super().build_extensions()
