"""For tools/mutants.py: finds the lines of code of src and the small mistakes that each allows, and draws some.

A line of code is in the body of a function, or in a table, enumeration or macro of numbers, and has an operator,
number, condition, return or statement to change.
Comments, the contents of strings, other directives, prototypes, types and declarations without a value are not code.
Functions and tables are found by their format: they start and end in the first column.
"""
import random
import re
from collections import namedtuple
from pathlib import Path

Mutant = namedtuple("Mutant", "number file line kind before after")
# (kind, pattern, replacement). A binary operator has spaces on both sides, unlike the * and & of pointers.
SWAPS = [
    ("relation", r" < ", " <= "), ("relation", r" <= ", " < "), ("relation", r" > ", " >= "),
    ("relation", r" >= ", " > "), ("relation", r" == ", " != "), ("relation", r" != ", " == "),
    ("arithmetic", r" \+ ", " - "), ("arithmetic", r" - ", " + "), ("arithmetic", r" \* ", " / "),
    ("arithmetic", r" / ", " * "), ("arithmetic", r" % ", " * "), ("arithmetic", r" \+= ", " -= "),
    ("arithmetic", r" -= ", " += "), ("arithmetic", r" \*= ", " /= "), ("arithmetic", r" /= ", " *= "),
    ("arithmetic", r"\+\+", "--"), ("arithmetic", r"--", "++"),
    ("bits", r" & ", " | "), ("bits", r" \| ", " & "), ("bits", r" << ", " >> "), ("bits", r" >> ", " << "),
    ("logic", r" && ", " || "), ("logic", r" \|\| ", " && "), ("logic", r"!(?=[\w(])", ""),
]
NUMBER = re.compile(r"(?<![\w.])(0x[\da-fA-F.]+(p[-+]?\d+)?|\d+\.?\d*(e[-+]?\d+)?)[uUlLf]*(?![\w.])")
CONDITION = re.compile(r"\b(if|while) \(")
RETURN = re.compile(r"\breturn (.+);$")
DECLARED = re.compile(r"\s+(?!return\b|goto\b)(\w+ )+\**\w+(\[[^\]]*\])*( =|,|;)")
STATEMENT = re.compile(r"\s+(?!return\b|goto\b|else\b|do\b|for\b|if\b|while\b|case\b|default\b)[\w*(+-].*;$")


def blank(text):
    """Replaces comments and the contents of strings by spaces, so that no character changes its place."""
    tokens = re.compile(r'/\*.*?\*/|//[^\n]*|"(\\.|[^"\\\n])*"|\'(\\.|[^\'\\])+\'', re.S)
    return tokens.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def kinds_of_lines(lines):
    """For each line: the type that its function returns, "table", or None."""
    kind, head, found = None, "", []
    for line in lines:
        if line.startswith("{"):
            kind = re.sub(r"\b(static|inline|INLINE|extern|const)\b", "", head).split("(")[0].rsplit(" ", 1)[0].strip()
            if re.search(r"\*\w+\(", head):
                kind = "pointer"
            found.append(None)
        elif line.startswith("}"):
            kind = None
            found.append(None)
        elif kind is not None:
            found.append(kind)
        elif re.match(r"(static |extern |const |enum ).*[={,(]", line) and "(" not in line.split("=")[0]:
            found.append("table")
            kind = "table" if line.endswith("{") else None
        else:
            found.append("table" if re.match(r"#define \w+ [-(]?[\d.]", line) else None)
            head = line if re.match(r"[a-zA-Z]", line) else head
    return found


def closes(text):
    """The place after the bracket that closes the one at the beginning; None: on a later line."""
    depth = 0
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return place + 1
    return None


def condition_mutations(code, line):
    for found in CONDITION.finditer(code):
        end = closes(code[found.end() - 1:])
        if end is not None:
            begin, end = found.end(), found.end() - 2 + end
            yield "condition", line[:begin] + "!(" + line[begin:end] + ")" + line[end:]


def return_mutations(code, line, kind):
    found = RETURN.search(code)
    if found and found.group(1) != "NULL" and kind != "void" and not kind.startswith("struct"):
        value = line[found.start(1):found.end(1)]
        other = f"!({value})"
        if kind == "pointer":
            other = "0"
        elif not kind.startswith(("bool", "enum")):
            other = f"({value}) + 1"
        yield "return", line[:found.start(1)] + other + line[found.end(1):]


def mutations(code, line, before, kind):
    """(kind of mistake, the line with it) for one line; code: the blanked line; before: the line above; kind: as found
    by kinds_of_lines."""
    for match in NUMBER.finditer(code):
        yield "constant", line[:match.start()] + f"({match.group()} + 1)" + line[match.end():]
    if kind == "table":
        return
    for name, pattern, replacement in SWAPS:
        for match in re.finditer(pattern, code):
            yield name, line[:match.start()] + replacement + line[match.end():]
    yield from condition_mutations(code, line)
    yield from return_mutations(code, line, kind)
    whole = STATEMENT.match(code) and not DECLARED.match(code) and code.count("(") == code.count(")")
    if whole and re.search(r"([;{})]|\belse|:)\s*$|^\s*$", before):
        yield "statement", re.match(r"\s*", line).group() + ";"


def places(root):
    """(file, number of the line, [(kind, new line)]) of every line of code."""
    for path in sorted(Path(root, "src").rglob("*.[ch]")):
        text = path.read_text(encoding="utf-8")
        lines, code = text.splitlines(), blank(text).splitlines()
        for i, kind in enumerate(kinds_of_lines(code)):
            declared = DECLARED.match(code[i]) and "=" not in code[i]
            if kind is None or declared or (code[i].startswith("#") and kind != "table"):
                continue
            found = list(mutations(code[i].rstrip(), lines[i], code[i - 1], kind))
            if found:
                yield str(path.relative_to(root)), i, lines[i], found


def draw(root, seed, count):
    """Draws lines with equal probability, then a kind of mistake in the line, then one of its mistakes of this kind."""
    chance = random.Random(seed)
    every = list(places(root))
    mutants = []
    for number, (file, line, before, found) in enumerate(chance.sample(every, min(count, len(every))), 1):
        kind = chance.choice(sorted({kind for kind, _ in found}))
        after = chance.choice([after for name, after in found if name == kind])
        mutants.append(Mutant(number, file, line, kind, before, after))
    return mutants
