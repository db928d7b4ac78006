"""The typed Python client, generated from the schema: `make client`, and once for the tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

PROJECT, PACKAGE = "longcase-client", "longcase_client"
SETTINGS = {
    "project_name_override": PROJECT,
    "package_name_override": PACKAGE,
    "post_hooks": [],
    "literal_enums": True,
    "content_type_overrides": {"application/offset+octet-stream": "application/octet-stream"},
}


def make_client(folder: Path) -> Path:
    """Generate the client into a folder, from the schema of this moment; gives its project.
    Whatever the generator cannot turn into code is an error."""
    from drf_spectacular.generators import SchemaGenerator

    folder.mkdir(parents=True, exist_ok=True)
    schema, settings = folder / "openapi.json", folder / "client.json"
    schema.write_text(json.dumps(SchemaGenerator().get_schema(request=None, public=True)))
    settings.write_text(json.dumps(SETTINGS))
    project = folder / PROJECT
    words = [f"--path={schema}", f"--config={settings}", f"--output-path={project}"]
    generator = Path(sys.executable).with_name("openapi-python-client")
    subprocess.run(
        [generator, "generate", *words, "--meta=uv", "--overwrite", "--fail-on-warning"],
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    return project


def main() -> None:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    try:
        print(f"{make_client(Path(sys.argv[1]))}: install it with pip.")
    except subprocess.CalledProcessError as error:
        sys.exit(error.stdout.decode())


if __name__ == "__main__":
    main()
