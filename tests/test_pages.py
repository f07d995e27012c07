"""Pages of HTML in one file: what their scripts may be made of."""

from __future__ import annotations

import pytest

from agents.pages import bundled


def bundle_of(folder, script, **modules):
    for name, text in modules.items():
        (folder / f"{name}.js").write_text(text, encoding="utf-8")
    return bundled(script, folder)


def test_a_bundle_has_each_module_once_after_those_that_it_imports(tmp_path):
    script = """import { two } from "./two.js";
import {
  one,
} from "./one.js";

const all = one + two; // 3
"""
    one = "/** The 1st. See example.org/one. */\nexport const one = 1;\n"
    two = '// A module.\n\nimport { one } from "./one.js";\n\nexport const two = 2 * one;\n'
    lines = bundle_of(tmp_path, script, one=one, two=two).splitlines()
    declared = ["const one = 1;", "const two = 2 * one;", "const all = one + two;"]
    assert [line for line in lines if line] == declared


@pytest.mark.parametrize(
    "declared",
    [
        "const SHORT = 10;",
        "export let LONG, SHORT;",
        "const [SHORT, LONG] = [1, 2];",
        "function SHORT() {}",
        "export async function SHORT() {}",
        "export class SHORT {}",
    ],
)
def test_modules_that_declare_one_name_are_refused(tmp_path, declared):
    modules = {
        "one": declared,
        "two": "export const SHORT = 0.1;\nfunction long() {\n  const LONG = 1;\n}\n",
    }
    with pytest.raises(ValueError, match="modules of a page declare SHORT more than once"):
        bundle_of(tmp_path, 'import "./one.js";\nimport "./two.js";\n', **modules)


def test_what_is_imported_must_keep_its_name(tmp_path):
    with pytest.raises(ValueError, match=r"rename what it imports: import \{ one as other"):
        bundle_of(
            tmp_path, 'import { one as other } from "./one.js";\n', one="export const one = 1;\n"
        )
