"""Writes the type stubs (.pyi) of all .pyx files; builds call it, and git does not track them.

A stub holds what a .pyx file and its .pxd file say: functions and methods with a return annotation,
`__init__` or `__cinit__` (as `__new__`), annotated names, attributes that are public or readonly,
docstrings, and imported constants. C types stand for themselves. An annotated name alone in a class
body gives the type of an attribute that is an object to C code, and under `if TYPE_CHECKING` that
of a global.
"""

import re
from pathlib import Path

from Cython.CodeWriter import ExpressionWriter
from Cython.Compiler.TreeFragment import parse_from_strings

C_TYPES = {"bint": "bool", "double": "float", "object": "Any"}
C_TYPES |= dict.fromkeys(("char", "int", "long", "size_t", "uint32_t", "int32_t", "int64_t"), "int")
KNOWN = {  # what annotations name without an import
    "collections.abc": "Callable Iterable Mapping Sequence",
    "numpy.typing": "ArrayLike NDArray",
    "os": "PathLike",
    "typing": "Any ClassVar TypeAlias final",
    "typing_extensions": "Self disjoint_base",
}


def kind_of(node):
    """The name of the class of a syntax tree's node."""
    return type(node).__name__


def written(node):
    """An expression as Python code."""
    is_annotation = kind_of(node) == "AnnotationNode"
    return node.string.value if is_annotation else ExpressionWriter().write(node)


def docstring(node, indent):
    """The lines of a docstring, which keep the indentation of the .pyx."""
    text = (node.doc or "").replace("\\", r"\\")
    return [f'{indent}"""{text}"""'] if text else []


def python_type(base_type):
    """The Python type that a C type converts to, or None if none is given."""
    return C_TYPES.get(base_type.name, base_type.name)


def statements(node):
    """The statements of a body, also those under `if TYPE_CHECKING`."""
    for statement in getattr(node, "stats", [node]):
        if kind_of(statement) == "StatListNode":
            yield from statements(statement)
        elif kind_of(statement) == "IfStatNode":
            yield from statements(statement.if_clauses[0].body)
        else:
            yield statement


class Stub:
    """The stub of one module."""

    def __init__(self, path):
        self.imports = {}  # statements, by the names that they define
        for module, names in KNOWN.items():
            self.imports |= {name: f"from {module} import {name}" for name in names.split()}
        self.lines = []
        self.exported = set()
        self.declared = {}  # the classes of the .pxd file
        if path.with_suffix(".pxd").exists():
            for node in self.parsed(path.with_suffix(".pxd"), level="module_pxd"):
                if kind_of(node) == "CClassDefNode":
                    self.declared[node.class_name] = node
        for node in self.parsed(path):
            if kind_of(node) in ("CClassDefNode", "PyClassDefNode"):
                if node.body is not None:  # it only announces a class that comes later
                    self.add_class(node)
            else:
                self.add(node)

    def parsed(self, path, level=None):
        """The statements of a file, without its imports, which are noted."""
        module = ".".join(path.with_suffix("").parts)
        tree = parse_from_strings(module, path.read_text(encoding="utf-8"), level=level)
        self.doc = docstring(tree, "")
        for node in statements(tree.body):
            if kind_of(node) == "FromCImportStatNode":
                source = "." * (node.relative_level or 0) + node.module_name
                for _, name, _ in node.imported_names:
                    self.imports.setdefault(name, f"from {source} import {name}")
            elif kind_of(node) == "FromImportStatNode":
                source = "." * node.module.level + node.module.module_name.value
                for name, target in node.items:
                    self.imports[target.name] = f"from {source} import {name} as {target.name}"
                    if target.name.isupper():
                        self.exported.add(target.name)
            elif kind_of(node) == "SingleAssignmentNode" and kind_of(node.rhs) == "ImportNode":
                name = node.lhs.name
                self.imports[name] = f"import {node.rhs.module_name.value} as {name}"
            else:
                yield node

    def add_class(self, node):
        """Adds a class, of which a part may be declared in the .pxd file."""
        is_c_class = kind_of(node) == "CClassDefNode"
        name = node.class_name if is_c_class else node.name
        if name.startswith("_"):
            return
        bases = [written(base) for base in node.bases.args]
        parts = [self.declared.get(name), node] if name in self.declared else [node]
        inside = [statement for part in parts for statement in statements(part.body)]
        has_c_parts = any(kind_of(s) in ("CVarDefNode", "CFuncDefNode") for s in inside)
        fields = [s for s in inside if kind_of(s) == "CVarDefNode"]
        fields = [s for s in fields if kind_of(s.declarators[0]) != "CFuncDeclaratorNode"]
        decorators = [written(d.decorator) for part in parts for d in part.decorators or []]
        if "cython.final" in decorators:
            self.lines.append("@final")
        elif is_c_class and (fields or (not bases and has_c_parts)):
            self.lines.append("@disjoint_base")
        self.lines += [f"class {name}({', '.join(bases)}):", *docstring(node, "    ")]
        annotated = {getattr(s.expr, "name", "") for s in inside if kind_of(s) == "ExprStatNode"}
        for field in fields:
            if field.visibility in ("public", "readonly"):
                names = {declarator.name for declarator in field.declarators} - annotated
                self.lines += [f"    {n}: {python_type(field.base_type)}" for n in sorted(names)]
        has_init = any(getattr(s, "name", "") == "__init__" for s in inside)
        for statement in statements(node.body):
            if not (has_init and getattr(statement, "name", "") == "__cinit__"):
                self.add(statement, "    ")
        self.lines.append("    ...")

    def add(self, node, indent=""):
        """Adds what a statement of the module or of a class defines."""
        kind = kind_of(node)
        if kind == "DefNode" or (kind == "CFuncDefNode" and node.overridable):
            self.add_function(node, indent)
        elif kind == "ExprStatNode" and getattr(node.expr, "annotation", None):
            self.lines.append(f"{indent}{node.expr.name}: {written(node.expr.annotation)}")
        elif kind == "SingleAssignmentNode" and getattr(node.lhs, "annotation", None):
            annotation = written(node.lhs.annotation)
            value = written(node.rhs) if annotation == "TypeAlias" else "..."
            self.lines.append(f"{indent}{node.lhs.name}: {annotation} = {value}")
        elif kind == "SingleAssignmentNode" and getattr(node.lhs, "name", "") == "__hash__":
            self.lines.append(f"{indent}__hash__: None  # type: ignore[assignment, unused-ignore]")

    def add_function(self, node, indent):
        """Adds a function or method, unless it is private or has no types."""
        if kind_of(node) == "DefNode":
            name, function = node.name, node
            result = node.return_type_annotation and written(node.return_type_annotation)
        else:
            name, function = node.declarator.base.name, node.declarator
            result = python_type(node.base_type)
        if name in ("__init__", "__cinit__") and len(function.args) > 1:
            name, result = (name, "None") if name == "__init__" else ("__new__", "Self")
        if not result or (name.startswith("_") and not name.endswith("_")):
            return
        arguments = [self.argument(argument) for argument in function.args]
        if name == "__new__":
            arguments[0] = "cls"
        star = getattr(function, "star_arg", None)
        num_named = getattr(function, "num_kwonly_args", 0)
        if star or num_named:
            arguments.insert(len(arguments) - num_named, f"*{self.argument(star) if star else ''}")
        if getattr(function, "starstar_arg", None):
            arguments.append(f"**{self.argument(function.starstar_arg)}")
        if name == "__eq__":
            arguments.append("/")
        decorators = [written(decorator.decorator) for decorator in node.decorators or []]
        kinds = ("property", "staticmethod", "classmethod")
        self.lines += [f"{indent}@{kind}" for kind in decorators if kind in kinds]
        head = f"{indent}def {name}({', '.join(arguments)}) -> {result}:"
        body = docstring(node, f"{indent}    ")
        self.lines += [head, *body] if body else [f"{head} ..."]

    def argument(self, node):
        """The declaration of an argument."""
        if kind_of(node) == "PyArgDeclNode":
            name, kind, default = node.name, None, None
        elif node.declarator.name:
            name, kind, default = node.declarator.name, python_type(node.base_type), node.default
        else:  # `self` of a cpdef method
            name, kind, default = node.base_type.name, None, None
        kind = written(node.annotation) if node.annotation else kind
        text = f"{name}: {kind}" if kind else name
        if default:
            is_plain = default.is_literal or kind_of(default) in ("NoneNode", "BoolNode")
            text += f" = {written(default) if is_plain else '...'}"
        return text

    def text(self):
        """The file, with the imports that it needs."""
        code = "\n".join(line for line in self.lines if not line.lstrip().startswith('"""'))
        names = self.exported | (self.imports.keys() & set(re.findall(r"\w+", code)))
        imports = sorted(self.imports[name] for name in names)
        return "\n".join([*self.doc, *imports, "", *self.lines, ""])


if __name__ == "__main__":
    for package in ("agents", "carcassonne_env", "fop_env"):
        for source in Path(package).rglob("*.pyx"):
            text, stub = Stub(source).text(), source.with_suffix(".pyi")
            if not stub.exists() or stub.read_text(encoding="utf-8") != text:
                stub.write_text(text, encoding="utf-8")
