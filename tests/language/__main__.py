"""Print the findings of the language check, one per line, and exit with 1 if there is any."""

import sys
from pathlib import Path

from tests.language.vocabulary import default_paths, find

findings = find([Path(path).resolve() for path in sys.argv[1:]] or default_paths())
sys.stdout.writelines(f"{finding}\n" for finding in findings)
sys.exit(1 if findings else 0)
