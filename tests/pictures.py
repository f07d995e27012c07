"""What every picture keeps to."""

from __future__ import annotations

import re
from xml.etree import ElementTree

HREF = "{http://www.w3.org/1999/xlink}href"


def check_document(svg: str, *, has_fonts: bool = False) -> ElementTree.Element:
    """Checks that a picture stands alone, and returns its root.

    It is XML of the size of its view, its ids are unique, and every reference leads to a definition
    in it. There are no images and styles, and no texts, which look as the installed fonts do.
    """
    root = ElementTree.fromstring(svg)
    elements = list(root.iter())
    ids = [element.get("id") for element in elements if element.get("id")]
    references = {element.get(name) for element in elements for name in (HREF, "href")} - {None}
    references |= set(re.findall(r"url\((.*?)\)", svg))
    tags = {element.tag.rpartition("}")[2] for element in elements}
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    assert len(ids) == len(set(ids))
    assert references <= {f"#{name}" for name in ids}
    assert not tags & ({"image", "style", "script"} | (set() if has_fonts else {"text"}))
    return root
