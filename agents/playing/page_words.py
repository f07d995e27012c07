"""The words of pages: one file for each language, and English for what a file lacks.

A folder of words has files such as ``de.json``, each an object of texts by key. A text with a
number in it may be an object of its forms by the categories of CLDR, such as "one" and "other".
Keys that are sentences are texts of the server, up to a colon. In them, and in what stands for
them, "#" is a number or a name in quotation marks.
"""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import Any

COMMON = files("agents") / "web" / "words"
"""The words that the pages of all games share. Its files are the languages that can be chosen."""
ENGLISH = "en"


def languages() -> list[str]:
    """The languages by their codes, such as "de"."""
    return sorted(file.name.removesuffix(".json") for file in COMMON.iterdir())


def words_of(language: str, *folders: Any) -> dict[str, Any]:
    """The words of a language in folders, the common one first."""
    words: dict[str, Any] = {"language": language}
    for code in (ENGLISH, language):
        for folder in (COMMON, *folders):
            file = folder / f"{code}.json"
            words |= json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return words


def words_in(script: str, words: dict[str, Any]) -> dict[str, Any]:
    """The words whose keys, or beginnings of keys up to "_", a script quotes, but not as ids."""
    named = {"language", *re.findall(r'(?<!\$\()["`](\w+)(?=["`$])', script)}
    return {key: words[key] for key in words if key in named or key[: key.find("_") + 1] in named}


def as_data(words: dict[str, Any]) -> str:
    """Words as the JSON of an element "words" of a page, which `words.js` reads."""
    data = json.dumps(words, ensure_ascii=False, separators=(",", ":"))
    return data.replace("<", r"\u003c")
