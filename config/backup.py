"""A dump of the embedded database while it runs: `python -m config.backup FILE`.

For a database of your own use its own pg_dump; an older pg_dump than the server refuses.
"""

import subprocess
import sys
from pathlib import Path

from config import environment
from config.postgres import SUPERUSER, PostgresProblem, child_environment, find_binaries


def main(arguments: list[str]) -> None:
    if len(arguments) != 1:
        sys.exit("Say where to: python -m config.backup longcase.dump")
    target = Path(arguments[0]).resolve()
    half = target.with_name(target.name + ".half")
    sockets = environment.socket_folder(environment.data_folder())
    try:
        program = find_binaries() / "pg_dump"
    except PostgresProblem as problem:
        sys.exit(str(problem))
    with half.open("wb") as out:
        done = subprocess.run(
            [program, "-h", sockets, "-U", SUPERUSER, "-d", "longcase", "--format=custom"],
            stdout=out,
            env=child_environment(),
        )
    if done.returncode != 0:
        half.unlink()
        sys.exit("There is no dump; see above. Is Longcase running (make up)?")
    half.replace(target)
    print(f"{target}: {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
