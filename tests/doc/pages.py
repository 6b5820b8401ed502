"""pages.py [--installed] PAGE...: runs the commands of the pages in order, in the current directory, a clone. Each has
to succeed and to print what its page shows; links between files have to lead somewhere. With --installed the installed
`dlqueue` runs in place of scripts/run, and links are not followed.

A command begins with scripts/run or dlqueue. It stands in an indented line, or between backquotes unless it holds a
WORD to replace. The fenced block behind an indented command is its output, where [...] stands for any lines. Commands
of `run` are left out, as they need torch or the reader's own training.
"""

import pathlib
import re
import subprocess
import sys

COMMAND = r"((?:scripts/run|dlqueue) [^`\n]+)"
EXAMPLE = re.compile(rf"^ {{4,}}{COMMAND}\n(?:\n```\n(.*?)^```$)?|(?<!`)`{COMMAND}`", re.M | re.S)
installed = sys.argv[1] == "--installed"
wrong = count = 0
for page in sys.argv[1 + installed:]:
    text = pathlib.Path(page).read_text(encoding="utf-8")
    for link in [] if installed else re.findall(r"\]\((?!http|#)([^)#]+)", text):
        if not pathlib.Path(page).parent.joinpath(link).exists():
            wrong += 1
            print(f"{page}: {link} does not exist")
    for command, shown, inline in EXAMPLE.findall(text):
        command = command or inline
        if re.search(r"\b[A-Z][A-Z0-9]+\b", inline) or command.split()[1].startswith("run"):
            continue
        count += 1
        words = command.replace("scripts/run", "dlqueue") if installed else command.replace("dlqueue ", "scripts/run ", 1)
        run = subprocess.run(["bash", "-c", "export LC_ALL=C.UTF-8; " + words], stdin=subprocess.DEVNULL,
                             capture_output=True, text=True, check=False)
        pattern = "".join("(.*\n)*?" if line == "[...]" else re.escape(line) + "\n" for line in shown.splitlines())
        if run.returncode != 0 or (shown and not re.fullmatch(pattern, run.stdout)):
            wrong += 1
            print(f"{page}: {command}: exit status {run.returncode}\n{run.stdout}{run.stderr}")
print(f"{count} commands, {wrong} mistakes")
sys.exit(1 if wrong or count < 12 else 0)
