"""`make pictures`: each screen of a fresh demo as PNG, wide, dark and narrow, under build/pictures.

For review and for whoever writes about Longcase. Starts a demo of its own on free ports, in a
folder that is removed afterwards; ends with 1 if a page does not answer with 200.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.browser.chromium import FLAGS

PROJECT = Path(__file__).resolve().parents[2]
STARTS_SECONDS = 300
SCHEMES: dict[str, tuple[int, Any]] = {  # name -> width, scheme
    "wide": (1280, "light"),
    "dark": (1280, "dark"),
    "narrow": (390, "light"),
}
# Who looks at what. `{case}` is a loan that waits for papers, `{task}` the first review in reach.
SCREENS: dict[str, dict[str, str]] = {
    "": {"login": "/login/"},
    "sanne": {
        "my-work": "/work/",
        "waiting": "/work/?show=waiting",
        "cases": "/cases/",
        "nothing-found": "/cases/?find=zzzz",
        "find": "/find/?find=demr",
        "case": "/cases/{case}/",
        "documents": "/cases/{case}/documents/",
        "notes": "/cases/{case}/notes/",
        "steps": "/cases/{case}/steps/",
        "history": "/cases/{case}/history/",
        "print": "/cases/{case}/print",
        "facts": "/cases/{case}/facts/",
        "new-case": "/cases/new/loan/",
        "letter": "/cases/{case}/letters/new/",
        "tray": "/messages/",
        "post-room": "/letters/",
        "settings": "/settings/",
    },
    "lena": {"reviews": "/work/?show=reviews", "review": "{task}"},
    "petra": {"team": "/team/", "processes": "/processes/", "release": "/operations/code/"},
    "nadia": {"checks": "/checks/"},
    "oskar": {"incidents": "/operations/incidents/"},
    "anna": {"administration": "/administration/", "people": "/administration/people/"},
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="make pictures", description=__doc__)
    parser.add_argument("--to", type=Path, default=PROJECT / "build" / "pictures")
    parser.add_argument("--only", default="", help="screens whose name holds this")
    wishes = parser.parse_args()
    path = os.environ.get("LONGCASE_CHROMIUM") or shutil.which("chromium")
    if not path:
        print("There is no chromium here: apt-get install chromium, or set LONGCASE_CHROMIUM.")
        return 2
    from playwright.sync_api import sync_playwright

    wishes.to.mkdir(parents=True, exist_ok=True)
    wrong: list[str] = []
    with demo() as (address, password), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        for scheme, (width, colours) in SCHEMES.items():
            for who, screens in SCREENS.items():
                wanted = {name: at for name, at in screens.items() if wishes.only in name}
                if not wanted:
                    continue
                context = browser.new_context(
                    viewport={"width": width, "height": 800}, color_scheme=colours
                )
                page = context.new_page()
                if who:
                    sign_in(page, address, who, password)
                for name, at in wanted.items():
                    answer = page.goto(address + place(page, address, at))
                    status = answer.status if answer is not None else 0
                    page.screenshot(path=wishes.to / f"{name}-{scheme}.png", full_page=True)
                    print(f"{name}-{scheme}.png", "" if status == 200 else status, flush=True)
                    if status != 200:
                        wrong.append(f"{name}, {scheme}: {page.url} answered {status}.")
                context.close()
        browser.close()
    for line in wrong:
        print(f"WRONG {line}")
    print(f"Pictures are in {wishes.to}.")
    return 1 if wrong else 0


@contextmanager
def demo() -> Iterator[tuple[str, str]]:
    """The address of a running demo, and the password of its people."""
    folder = Path(tempfile.mkdtemp(prefix="longcase-pictures-"))
    folder.chmod(0o755)  # root lends Postgres another user
    told = folder / "told"
    environ = {
        **os.environ,
        "LONGCASE_DATA_DIR": str(folder / "data"),
        "PORT": str(free_port()),
        "STANDINS_PORT": str(free_port()),
    }
    environ.pop("DATABASE_URL", None)
    with told.open("wb") as out:
        running = subprocess.Popen(
            [sys.executable, "-m", "config.up"], cwd=PROJECT, env=environ, stdout=out, stderr=out
        )
    try:
        end = time.monotonic() + STARTS_SECONDS
        while not (found := re.search(r"runs at (http\S+?)/?\s", told.read_text())):
            if running.poll() is not None or time.monotonic() > end:
                raise SystemExit(f"The demo did not start:\n{told.read_text()[-2000:]}")
            time.sleep(0.5)
        password = re.search(r"password “(.+?)”", told.read_text())
        assert password is not None
        yield found[1], password[1]
    finally:
        running.send_signal(signal.SIGINT)
        running.wait(timeout=60)
        shutil.rmtree(folder, ignore_errors=True)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def sign_in(page: Any, address: str, who: str, password: str) -> None:
    page.goto(f"{address}/login/")
    page.fill("#id_username", who)
    page.fill("#id_password", password)
    page.click("button.main")
    page.wait_for_selector("header.top")


def place(page: Any, address: str, at: str) -> str:
    """The address of a screen, with a case or a task that this person sees in it."""
    if "{case}" in at:
        page.goto(f"{address}/cases/?kind=loan&step=awaiting_documents")
        return at.replace("{case}", _first(page, r"^/cases/(LN-[\d-]+)/$"))
    if "{task}" in at:
        page.goto(f"{address}/work/?show=reviews")
        return at.replace("{task}", _first(page, r"^(/tasks/\d+/)$"))
    return at


def _first(page: Any, pattern: str) -> str:
    links = page.eval_on_selector_all("main a", "all => all.map(a => a.getAttribute('href'))")
    found = [match[1] for link in links if (match := re.match(pattern, link or ""))]
    if not found:
        raise SystemExit(f"{page.url} has no link like {pattern}.")
    return str(found[0])


if __name__ == "__main__":
    raise SystemExit(main())
