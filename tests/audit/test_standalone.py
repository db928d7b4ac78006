"""The verifier that needs nothing of ours: its own mathematics, and what it says of files."""

from __future__ import annotations

import ast
import base64
import gzip
import hashlib
import importlib.util
import io
import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.db import connection

from audit import anchors, bundle, keys, merkle, opening, signing
from audit.chain import link
from tests.audit.conftest import NINE, History

SCRIPT = Path(bundle.__file__).parent / "standalone" / "longcase_verify.py"
KEYS = [signing.SigningKey.of(f"{n:064x}") for n in (1, 2)]


def load() -> Any:
    spec = importlib.util.spec_from_file_location("longcase_verify", SCRIPT)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


verifier = load()


def anchor(day: int = 0, keys: Any = KEYS[:1]) -> Any:
    return anchors.make(day=date(2027, 1, 4 + day), now=NINE + timedelta(day), keys=keys)


@pytest.fixture
def export(tmp_path: Path) -> Callable[..., Path]:
    def write(history: History, **about: Any) -> Path:
        out = io.BytesIO()
        told = {"events": history.head_number, "head": history.head_hash.hex(), **about}
        bundle.write_bundle(history.case_id, out, False, about=told)
        path = tmp_path / f"case-{history.case_id}.jsonl"
        path.write_bytes(out.getvalue())
        return path

    return write


def run(capsys: Any, *words: object) -> tuple[int, str]:
    code = verifier.main([str(word) for word in words])
    told = capsys.readouterr()
    return code, told.out + told.err


# --- It stands alone -------------------------------------------------------------------------


def test_it_is_one_file_of_the_standard_library_for_python_3_8():
    tree = ast.parse(SCRIPT.read_text(), feature_version=(3, 8))
    imported = {
        (node.module if isinstance(node, ast.ImportFrom) else name.name).split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for name in node.names
    }
    assert imported - {"cryptography"} <= set(sys.stdlib_module_names)


def test_it_runs_where_nothing_is_installed(write_history: Any, export: Any):
    path = export(write_history(1, events=3))
    done = subprocess.run(
        [sys.executable, "-I", "-S", SCRIPT, path], capture_output=True, text=True, cwd="/"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "Nothing wrong was seen." in done.stdout and "All is as" not in done.stdout


# --- Ed25519 ---------------------------------------------------------------------------------

VECTORS = [  # RFC 8032, section 7.1: public key, message, signature
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701c"
        "f9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0"
        "f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f76098"
        "4dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
]


@pytest.mark.parametrize(("public", "message", "signature"), VECTORS)
def test_signatures_of_the_rfc_are_right_and_no_others(public: str, message: str, signature: str):
    content = bytes.fromhex(message)
    assert verifier.is_signed(content, public, signature)
    assert not verifier.is_signed(content + b"x", public, signature)
    for place in (0, 40, 70, 127):
        other = signature[:place] + f"{int(signature[place], 16) ^ 1:x}" + signature[place + 1 :]
        assert not verifier.is_signed(content, public, other)
    # The same signature with the order of the group added to its scalar is none.
    scalar = int.from_bytes(bytes.fromhex(signature)[32:], "little") + verifier._L
    forged = signature[:64] + scalar.to_bytes(32, "little").hex()
    assert not verifier.is_signed(content, public, forged)


def test_it_agrees_with_a_well_kept_library():
    chance = random.Random(7)
    for _ in range(25):
        key = Ed25519PrivateKey.from_private_bytes(chance.randbytes(32))
        public = key.public_key().public_bytes_raw().hex()
        content = chance.randbytes(chance.randrange(200))
        signature = bytearray(key.sign(content))
        assert verifier.is_signed(content, public, signature.hex())
        signature[chance.randrange(64)] ^= 1 << chance.randrange(8)
        assert not verifier.is_signed(content, public, signature.hex())
        assert not signing.is_signed(content, public=public, signature=signature.hex())
    for nonsense in ("", "00" * 31, "zz" * 32, "ff" * 32):
        assert not verifier.is_signed(b"", nonsense, "00" * 64)


def test_its_trees_are_the_same_trees():
    for count in range(1, 20):
        leaves = [merkle.leaf(bytes([n])) for n in range(count)]
        tree = merkle.Tree(leaves)
        assert verifier.root_of(leaves) == tree.root
        for index in range(count):
            path = [one.hex() for one in tree.path(index)]
            assert verifier.root_by(leaves[index], index, count, path) == tree.root
            assert verifier.root_by(leaves[index], index, count, [*path, "00"]) is None


# --- An exported case ------------------------------------------------------------------------


def test_a_case_is_sound_with_and_without_anchors(write_history: Any, export: Any, capsys: Any):
    history = write_history(1, events=3)
    write_history(2, events=2)
    code, told = run(capsys, export(history))
    assert code == 0 and "no anchor holds this case yet" in told

    anchor()
    history.add("noted", text="é “quoted” \\ \n 🙂")
    anchor(1)
    history.add("noted")
    code, told = run(capsys, export(history), "--keys", KEYS[0].public)

    assert (code, told.count("note ")) == (0, 2)  # NINE is before the anchor of the day after
    assert "5 events, 4 of them anchored" in told
    assert "events 5 to 5 came after the last anchor" in told


def test_another_key_is_no_signature_of_ours(write_history: Any, export: Any, capsys: Any):
    history = write_history(1)
    anchor()

    code, told = run(capsys, export(history), "--keys", KEYS[1].public)

    assert code == 1 and "none of the keys that were given" in told


def test_who_trusts_the_old_key_learns_of_the_new(write_history: Any, export: Any, capsys: Any):
    history = write_history(1)
    anchor()
    history.add("noted")
    anchor(1, [KEYS[1], KEYS[0]])

    code, told = run(capsys, export(history), "--keys", KEYS[0].public)

    assert code == 0 and "which the key before it confirmed" in told


def test_a_name_that_is_not_of_these_events_is_found(write_history: Any, export: Any, capsys: Any):
    code, told = run(capsys, export(write_history(417), reference="LN-2026-000418"))
    assert code == 1 and "does not name case 417" in told


@pytest.mark.parametrize("line", [0, 2, -2])
def test_a_line_that_was_taken_out_or_changed_is_told(
    write_history: Any, export: Any, capsys: Any, line: int
):
    path = export(write_history(1, events=4))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(one for at, one in enumerate(lines) if at != line % len(lines)))
    code, told = run(capsys, path)
    if line:
        number = {2: 2, -2: 4}[line]
        assert code == 1 and f"Event {number} is missing" in told
        assert "The file was changed, or lines of it are missing" in told
    else:
        assert code == 2 and "Cannot look" in told


def test_a_byte_changed_in_the_file_alone_is_named(write_history: Any, export: Any, capsys: Any):
    path = export(write_history(1, events=4))
    lines = path.read_bytes().splitlines(keepends=True)
    lines[3] = lines[3].replace(b'{\\"', b'{ \\"', 1)
    path.write_bytes(b"".join(lines))
    code, told = run(capsys, path)
    assert code == 1 and "Event 3 is not what was recorded" in told


def test_a_file_that_broke_off_is_told(write_history: Any, export: Any, capsys: Any):
    path = export(write_history(1, events=4))
    path.write_bytes(path.read_bytes()[:-40])
    code, told = run(capsys, path)
    assert code == 1 and "is not JSON" in told
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:3]))
    code, told = run(capsys, path)
    assert code == 1 and "Event 3 is missing, and so is all after it up to 4" in told
    assert "is not whole" in told
    path.write_text("")
    assert run(capsys, path)[0] == 2
    assert run(capsys, path.with_name("none"))[0] == 2


def odd_ones(path: Path) -> Iterator[bytes]:
    """The file with one value of one line put otherwise than it can be, its end made to fit."""
    lines = path.read_bytes().splitlines()[:-1]
    for at, line in enumerate(lines):
        record = json.loads(line)
        inner = next(iter(record.values()))
        for where in (record, inner if isinstance(inner, dict) else {}):
            for key, was in list(where.items()):
                for odd in (None, -1, "x", [], {}, [[1]], "9" * 5000):
                    where[key] = odd
                    changed = json.dumps(record).encode()
                    body = b"".join(one + b"\n" for one in [*lines[:at], changed, *lines[at + 1 :]])
                    end = {"lines": len(lines), "sha256": hashlib.sha256(body).hexdigest()}
                    yield body + json.dumps({"end": end}, separators=(",", ":")).encode() + b"\n"
                where[key] = was


def test_whatever_stands_in_a_line_is_told_in_a_sentence(
    write_history: Any, export: Any, capsys: Any
):
    history = write_history(1, events=2)
    anchor()
    path = export(history)
    for content in odd_ones(path):
        path.write_bytes(content)
        code, told = run(capsys, path)
        assert code in (0, 1, 2) and told and "Traceback" not in told


KEY_OF_CASE = bytes(range(32))


def box(history: History, data: str, *values: str, of: int = 0) -> str:
    """A text of data with values sealed, as history has it."""
    number = history.head_number + 1
    head = f"{history.case_id}.{of or number}"
    sealed = AESGCM(KEY_OF_CASE).encrypt(bytes(12), "\n".join(values).encode(), head.encode())
    spelled = base64.b64encode(bytes(12) + sealed).decode()
    return f'{{"$box":"{head}.{spelled}",{data[1:]}'


def add_text(history: History, text: str) -> None:
    """Record an event whose data has this very text."""
    number = history.head_number + 1
    sealed = link(history.head_hash, history.case_id, number, "x", text, "a", "", NINE, NINE)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO audit_event (case_id, number, type, data, actor, happened_at, recorded_at,"
            " hash) VALUES (%s, %s, 'x', %s, 'a', %s, %s, %s)",
            [history.case_id, number, text, NINE, NINE, sealed],
        )
    history.head_number, history.head_hash = number, sealed


@pytest.mark.parametrize(
    ("opened", "key", "said", "code"),
    [
        ('{"n":1,"name":"Zoë"}', KEY_OF_CASE, "1 sealed events opened and compared", 0),
        ('{"n":1,"name":"Eve"}', KEY_OF_CASE, "Event 1: reads otherwise than what is sealed", 1),
        ('{"n":1,"name":"Zoë"}', bytes(32), "its box does not open with the key of the case", 1),
        ('{"n":1,"name":"Eve"}', None, "the file does not hold the key of the case", 2),
        ('{"n":1,"name":"Eve"}', b"short", "the key of the case in the file is none", 1),
        (None, KEY_OF_CASE, "its readable text is missing, though the file holds the key", 1),
    ],
)
def test_readable_texts_are_compared_with_what_is_sealed(
    db: None,
    tmp_path: Path,
    capsys: Any,
    opened: str | None,
    key: bytes | None,
    said: str,
    code: int,
):
    history = History(1)
    add_text(history, box(history, '{"n":1,"name":{"$sealed":0}}', '"Zoë"'))
    path = tmp_path / "case.jsonl"
    with path.open("wb") as out:
        bundle.write_bundle(1, out, True, opener=lambda case, number, text: opened, data_key=key)

    assert (run(capsys, path)[0], said in run(capsys, path)[1]) == (code, True)


def test_an_opened_export_holds_texts_and_key_until_the_key_is_destroyed(
    db: None, tmp_path: Path, capsys: Any, monkeypatch: Any
):
    history = History(1)
    add_text(history, box(history, '{"n":1,"name":{"$sealed":0}}', '"Zoë"'))
    key = keys.Key(1, AESGCM(KEY_OF_CASE))
    monkeypatch.setattr(keys, "opened", lambda case: key)
    monkeypatch.setattr(opening, "data_key", lambda case: KEY_OF_CASE)
    path = tmp_path / "case.jsonl"
    with path.open("wb") as out:
        bundle.write_bundle(1, out, True)
    assert '{\\"n\\":1,\\"name\\":\\"Zoë\\"}' in path.read_text()
    code, said = run(capsys, path)
    assert code == 0 and "1 sealed events opened and compared" in said

    monkeypatch.setattr(keys, "opened", lambda case: keys.Destroyed(1, NINE))
    assert opening.open_text(1, 1, '{"$box":"1.1.AAAA","n":1}') is None
    assert opening.open_text(1, 2, '{"n":1}') is None


def test_a_box_of_another_event_is_found(db: None, tmp_path: Path, capsys: Any):
    history = History(1)
    add_text(history, box(history, '{"name":{"$sealed":0}}', '"Zoë"', of=7))
    path = tmp_path / "case.jsonl"
    with path.open("wb") as out:
        told = '{"name":"Zoë"}'
        bundle.write_bundle(1, out, True, opener=lambda *_: told, data_key=KEY_OF_CASE)
    code, said = run(capsys, path)
    assert code == 1 and "it has the box of another event" in said


def test_without_opening_nothing_readable_and_no_key_is_in_the_file(db: None):
    history = History(1)
    add_text(history, box(history, '{"name":{"$sealed":0}}', '"Zoë"'))
    lines = bundle.bundle_lines(1, False, opener=lambda *_: "Zoë", data_key=KEY_OF_CASE)
    written = b"".join(lines)
    assert "Zoë".encode() not in written and b"data_key" not in written


def test_a_stamp_is_of_the_anchor_it_stands_with():
    """The structure of RFC 3161, as far as the hash and the time in it."""

    def der(tag: int, *parts: bytes) -> bytes:
        content = b"".join(parts)
        size = len(content)
        long = size.to_bytes(2, "big")
        return bytes([tag]) + (bytes([size]) if size < 128 else b"\x82" + long) + content

    imprint = der(0x30, der(0x30, der(6, b"\1")), der(4, b"h" * 32))
    told = der(0x30, der(2, b"\1"), der(6, b"\1"), imprint, der(2, b"\5"), der(0x18, b"2027Z"))
    inner = der(0x30, der(6, b"\1"), der(0xA0, der(4, told)))
    signed = der(0x30, der(2, b"\3"), der(0x31), inner)
    token = der(0x30, der(6, b"\1"), der(0xA0, signed))
    assert verifier.stamp_in(token) == (b"h" * 32, "2027Z")
    assert base64.b64decode(base64.b64encode(token)) == token


# --- What would make a reader believe it -----------------------------------------------------


def rewritten(path: Path, change: Callable[[list[dict[str, Any]]], None]) -> Path:
    """The file with its lines changed, and its end made to fit."""
    records = [json.loads(line) for line in path.read_bytes().splitlines()][:-1]
    change(records)
    return sealed_file(path, [json.dumps(one).encode() for one in records])


def sealed_file(path: Path, lines: list[bytes]) -> Path:
    body = b"".join(line + b"\n" for line in lines)
    end = {"lines": len(lines), "sha256": hashlib.sha256(body).hexdigest()}
    path.write_bytes(body + json.dumps({"end": end}).encode() + b"\n")
    return path


def test_its_cipher_is_that_of_a_well_kept_library():
    chance = random.Random(11)
    for size in (0, 1, 15, 16, 17, 33, 200):
        key, nonce = chance.randbytes(32), chance.randbytes(12)
        content, name = chance.randbytes(size), chance.randbytes(size % 21)
        sealed = AESGCM(key).encrypt(nonce, content, name)
        gcm = verifier.Gcm(key)
        assert gcm.decrypt(nonce, sealed, name) == content
        wrong = bytearray(sealed)
        wrong[chance.randrange(len(wrong))] ^= 1
        for other in ((nonce, bytes(wrong), name), (nonce, sealed, name + b"1"), (nonce, b"", b"")):
            with pytest.raises(ValueError):
                gcm.decrypt(*other)


def test_readable_texts_are_compared_where_no_library_is(db: None, tmp_path: Path):
    history = History(1)
    add_text(history, box(history, '{"n":1,"name":{"$sealed":0}}', '"Zoë"'))
    path = tmp_path / "case.jsonl"
    for told, code in (('{"n":1,"name":"Zoë"}', 0), ('{"n":1,"name":"Eve"}', 1)):
        with path.open("wb") as out:
            bundle.write_bundle(1, out, True, opener=lambda *_, t=told: t, data_key=KEY_OF_CASE)
        done = subprocess.run(
            [sys.executable, "-I", "-S", SCRIPT, path], capture_output=True, text=True, cwd="/"
        )
        assert (done.returncode, done.stderr) == (code, "")
        assert ("Event 1: reads otherwise than what is sealed" in done.stdout) == bool(code)


def test_what_belongs_to_one_field_cannot_be_read_as_another(db: None, export: Any, capsys: Any):
    """The hash covers one line. Cut elsewhere, it has the same hash and another actor."""
    history = History(1)
    add_text(history, '{"papers":["x","person:9","person:1","payslip"]}')

    def cut(records: list[dict[str, Any]]) -> None:
        event = records[1]["event"]
        moments = (event["happened_at"], event["recorded_at"])
        event["data_text"], event["actor"], event["on_behalf"] = (
            '{"papers":["x"',
            "person:9",
            ("person:1"),
        )
        event["happened_at"] = 'payslip"]},"a","",' + f'"{moments[0]}'
        event["recorded_at"] = moments[1]

    path = export(history)
    assert run(capsys, path)[0] == 0
    code, told = run(capsys, rewritten(path, cut))
    assert code == 1 and "happened_at is no moment" in told


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (lambda line: line[:-2] + b',"note":"never mind"}}', "it has more than history holds"),
        (lambda line: line[:-2] + b',"actor":"anna"}}', "a name twice"),
        (lambda line: line[:-1] + b',"event":{}}', "a name twice"),
        (lambda line: line[:-1] + b',"summary":"all is well"}', "is no line that Longcase writes"),
        (lambda line: line + b'\n{"summary":"all is well"}', "is no line that Longcase writes"),
    ],
)
def test_what_history_does_not_hold_cannot_stand_beside_it(
    write_history: Any, export: Any, capsys: Any, line: Callable[[bytes], bytes], said: str
):
    path = export(write_history(1, events=2))
    lines = path.read_bytes().splitlines()[:-1]
    code, told = run(capsys, sealed_file(path, [*lines[:2], line(lines[2])]))
    assert code == 1 and said in told


def test_the_first_line_names_the_kind_and_case_of_the_first_event(
    db: None, export: Any, capsys: Any
):
    history = History(7)
    history.add("case.opened", kind="loan", reference="LN-2026-000007")
    right: dict[str, Any] = {"kind": "loan", "reference": "LN-2026-000007"}
    code, told = run(capsys, export(history, **right, facts={"amount": "5000.00"}))
    assert code == 0 and "is for reading; what was proven are the events" in told
    for about in ({"kind": "permit"}, {"reference": "PM-2020-000007"}):
        code, told = run(capsys, export(history, **{**right, **about}))
        assert code == 1 and "its first line says" in told


def test_a_history_without_any_signature_is_not_proven_by_keys(
    write_history: Any, export: Any, capsys: Any
):
    """Who rewrites a history wholly takes the anchors out of the file, too."""
    history = write_history(1, events=3)
    anchor()

    def take_out(records: list[dict[str, Any]]) -> None:
        del records[4:]

    path = export(history)
    assert run(capsys, path, "--keys", KEYS[0].public)[0] == 0
    code, told = run(capsys, rewritten(path, take_out), "--keys", KEYS[0].public)
    assert code == 2 and "nothing in it is signed" in told


def folder_of(anchors_made: list[Any], folder: Path, heads: bool = True) -> Path:
    folder.mkdir(exist_ok=True)
    for made in anchors_made:
        record = bundle.anchor_record(made)
        (folder / f"anchor-{made.number:06}.json").write_text(json.dumps(record))
        if heads:
            texts = "".join(f"{text}\n" for text in anchors.moved_texts(made.number))
            with gzip.open(folder / f"anchor-{made.number:06}.heads.gz", "wt") as file:
                file.write(texts)
    return folder


def test_anchors_kept_elsewhere_say_who_may_sign_an_export(
    write_history: Any, export: Any, capsys: Any, tmp_path: Path
):
    history = write_history(1)
    kept = folder_of([anchor()], tmp_path / "kept")
    history.add("noted")
    anchor(1, [KEYS[1], KEYS[0]])
    history.add("noted")
    anchor(2, [KEYS[1]])
    code, told = run(capsys, export(history), "--anchors", kept)
    assert code == 0, told  # the old key confirmed the new one

    def forge(records: list[dict[str, Any]]) -> None:
        for one in records:
            if "anchor" in one and json.loads(one["anchor"]["text"])["number"] == 2:
                one["anchor"]["signatures"] = one["anchor"]["signatures"][:1]

    code, told = run(capsys, rewritten(export(history), forge), "--anchors", kept)
    assert code == 1 and "none of the keys that were given" in told


def test_a_new_key_that_the_folder_explains_is_known_in_an_export(
    write_history: Any, export: Any, capsys: Any, tmp_path: Path
):
    """An export holds the anchors at which its case moved, not the one that brought the key."""
    other = write_history(2)
    made = [anchor(), anchor(1, [KEYS[1], KEYS[0]])]
    other.add("noted")
    history = write_history(1)
    made.append(anchor(2, [KEYS[1]]))
    kept = folder_of(made, tmp_path / "kept")
    code, told = run(capsys, export(history), "--anchors", kept, "--keys", KEYS[0].public)
    assert code == 0 and "All is as it was recorded." in told


@pytest.mark.parametrize(
    "content", [b"", b"nothing", gzip.compress(b"x" * 999, mtime=0)[:-9], b"\x1f\x8b"]
)
def test_a_file_of_heads_that_is_none_is_told(
    write_history: Any, export: Any, capsys: Any, tmp_path: Path, content: bytes
):
    history = write_history(1)
    kept = folder_of([anchor()], tmp_path / "kept")
    (kept / "anchor-000001.heads.gz").write_bytes(content)
    for words in ((), (export(history),)):
        code, told = run(capsys, *words, "--anchors", kept)
        assert code == 1 and "file of heads of the anchor 1 of 2027-01-04" in told


def test_one_file_that_cannot_be_read_hides_nothing_of_the_others(
    write_history: Any, export: Any, capsys: Any, tmp_path: Path
):
    path = export(write_history(1, events=4))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], *lines[3:]]))
    none = tmp_path / "none.jsonl"
    none.write_text("[]")
    code, told = run(capsys, none, path)
    assert code == 1 and "Event 2 is missing" in told and f"{none}, line 1" in told


def test_an_event_that_is_dated_before_an_anchor_without_it_is_told(
    write_history: Any, export: Any, capsys: Any
):
    history = write_history(1)
    anchor(3)
    history.add("noted")
    code, told = run(capsys, export(history), "--keys", KEYS[0].public)
    last = history.head_number
    assert code == 0 and f"event {last} says that it was recorded at" in told
