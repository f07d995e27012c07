"""Packages that are missing: every error names the package, and the extra that installs it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import agents.checks
from agents.checks import extra, install_command
from fresh import Run, forking

ROOT = Path(__file__).parents[1]
MAKE = "gymnasium.make"
NEEDS = [
    ("pandas", "experiments", "import agents.evaluation"),
    ("joblib", "experiments", "import agents.arena"),
    ("scipy", "experiments", "import agents.league"),
    ("scipy", "experiments", "import agents.sprt"),
    ("tqdm", "experiments", "import agents.coevolution"),
    ("deap", "experiments", "import agents.evolving.typed_gp"),
    ("resvg_py", "render", "e = fop_env.env(render_mode='rgb_array'); e.reset(); e.render()"),
    (
        "matplotlib",
        "experiments",
        "import fop_env.figures as f; f.value_figure(fop_env.FopModel())",
    ),
    ("pygame", "render", "import agents.window as w; w.Window('').show(None, 1)"),
    ("pygame", "render", f"{MAKE}('Carcassonne-1p-3m-d', render_mode='human').reset()"),
    ("resvg_py", "render", f"{MAKE}('Carcassonne-1p-3m-d', render_mode='human').reset()"),
    ("PIL", "render", "e = carcassonne_env.env(render_mode='rgb_array'); e.reset(); e.render()"),
    ("PIL", "render", f"{MAKE}('Carcassonne-1p-3m-d', render_mode='rgb_array')"),
    ("pygame", "render", f"{MAKE}('FOP-f1', render_mode='rgb_array')"),
    ("resvg_py", "render", "gymnasium_env('hex', render_mode='rgb_array')"),
    ("pygame", "render", f"{MAKE}('FOP-f1', render_mode='human').reset()"),
    ("resvg_py", "render", f"{MAKE}('FOP-f1', render_mode='human').reset()"),
    ("pygame", "render", "gymnasium_env('hex', render_mode='human').reset()"),
    ("PIL", "render", "import agents.pictures as p; p.rasterize('<svg/>')"),
    ("torch", "rl", "import carcassonne_env.sb3"),
    ("h5py", "minari", "import carcassonne_env.dataset.minari"),
    ("pyspiel", "openspiel", "import carcassonne_env.openspiel"),
    ("pyspiel", "openspiel", "import fop_env.openspiel"),
    ("pyspiel", "openspiel", "import agents.adapters.openspiel"),
    ("pyspiel", "openspiel", "import agents.adapters.openspiel_entry"),
]
TRY = """
for code in {}:
    try:
        exec(code)
    except ImportError as error:
        print(error)
"""
IMPORTS = (
    "import carcassonne_env, fop_env, gymnasium; from agents.environments import gymnasium_env"
)


@pytest.fixture(scope="module")
def fork():
    """Runs code where what every installation has is imported."""
    with forking("gymnasium", "numpy", "pettingzoo") as run:
        yield run


def run(fork: Run, packages: list[str], code: str) -> Any:
    """Runs code without some packages and without a display."""
    missing = dict.fromkeys(packages)
    begin = f"import sys, warnings; sys.modules |= {missing}; warnings.resetwarnings()"
    code = f"{begin}; {IMPORTS}; {code}"
    return fork("-c", code, folder=ROOT, SDL_VIDEODRIVER="dummy")


@pytest.mark.parametrize("package", dict.fromkeys(package for package, *_ in NEEDS))
def test_a_missing_package_is_named_with_its_extra(package, fork):
    """In one process for all that needs it."""
    names, codes = zip(*(case for needed, *case in NEEDS if needed == package), strict=True)
    done = run(fork, [package], TRY.format(codes))
    assert done.returncode == 0, done.stderr
    for name, error in zip(names, done.stdout.splitlines(), strict=True):
        assert f"needs the package {package}," in error
        assert error.endswith(f'extra "{name}": pip install -e ".[{name}]"')


def test_the_command_names_the_checkout_or_the_distribution(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert install_command("rl") == f'pip install -e "{ROOT.as_posix()}[rl]"'
    monkeypatch.setattr(agents.checks, "__file__", str(tmp_path / "agents" / "checks.py"))
    assert install_command("rl") == 'pip install "carcassonne-planning[rl]"'


@pytest.mark.parametrize(
    "missing", [["pygame", "PIL", "resvg_py"], ["pygame"], ["resvg_py"]], ids="-".join
)
def test_checkers_try_the_render_modes_of_the_installed_packages_only(missing, fork):
    done = run(
        fork,
        missing,
        "from gymnasium.utils.env_checker import check_env\n"
        "import warnings; warnings.simplefilter('error')\n"
        "gymnasium.register('Hex', gymnasium_env, kwargs={'model': 'hex'})\n"
        "for name in ('Carcassonne-1p-3m-d', 'FOP-f1', 'Hex'):\n"
        "    env = gymnasium.make(name).unwrapped; check_env(env)\n"
        "    print(*env.metadata['render_modes'])",
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["ansi"] * 3


def test_a_package_that_is_there_but_broken_is_not_called_missing():
    """Such as one whose shared library the system lacks or cannot map."""
    message = r"^this cannot import .* \(libz.so: no such file\); .*\[rl\]"
    with pytest.raises(ImportError, match=message), extra("rl", "this"):
        raise ImportError("libz.so: no such file", name="numpy._core")


def test_other_errors_pass():
    with pytest.raises(ZeroDivisionError), extra("rl", "this"):
        _ = 1 / 0
