"""Packages that are missing: every error names the package, and the extra that installs it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from agents.checks import extra

NEEDS = [
    ("pandas", "experiments", "import agents.evaluation"),
    ("joblib", "experiments", "import agents.arena"),
    ("scipy", "experiments", "import agents.league"),
    ("scipy", "experiments", "import agents.sprt"),
    ("tqdm", "experiments", "import agents.coevolution"),
    ("deap", "experiments", "import agents.evolving.typed_gp"),
    (
        "matplotlib",
        "experiments",
        "e = fop_env.env(render_mode='rgb_array'); e.reset(); e.render()",
    ),
    (
        "matplotlib",
        "experiments",
        "import fop_env.figures as f; f.value_figure(fop_env.FopModel())",
    ),
    ("pygame", "render", "from carcassonne_env.drawing.window import Window; Window('')"),
    ("PIL", "render", "import agents.pictures as p; p.rasterize('<svg/>')"),
    ("torch", "rl", "import carcassonne_env.sb3"),
    ("pyspiel", "openspiel", "import carcassonne_env.openspiel"),
]


@pytest.mark.parametrize(("package", "name", "code"), NEEDS, ids=[case[2][:40] for case in NEEDS])
def test_a_missing_package_is_named_with_its_extra(package, name, code):
    code = f"import sys; sys.modules[{package!r}] = None; import fop_env; {code}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    error = done.stderr.splitlines()[-1]
    assert error.startswith("ImportError: ")
    assert f"needs the package {package}," in error
    assert error.endswith(f'extra "{name}": pip install "carcassonne-planning[{name}]"')


def test_other_errors_pass():
    with pytest.raises(ZeroDivisionError), extra("rl", "this"):
        _ = 1 / 0
