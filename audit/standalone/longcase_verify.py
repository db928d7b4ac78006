#!/usr/bin/env python3
"""Checks what Longcase exported: a case with its proof, or a folder of anchors. Trusts nobody.

    python3 longcase_verify.py CASE.jsonl
    python3 longcase_verify.py CASE.jsonl --anchors FOLDER --keys KEYS
    python3 longcase_verify.py --anchors FOLDER --keys KEYS

CASE.jsonl is an exported case. FOLDER is where anchors were written day by day (or one file of
them): the further from Longcase it was kept, the more it proves. KEYS is a public key (64
hexadecimal signs) or a file of them, as the organisation published it.

It needs Python 3.8 or newer and nothing else: no network, no database, none of Longcase. It ends
with 0 if nothing is wrong, 1 if something is not as it was recorded, 2 if it could not look.
docs/proof.md of Longcase describes the formats, so that anyone can write another one.
"""

import argparse
import base64
import gzip
import json
import os
import re
import sys
import zlib
from hashlib import sha256, sha512
from json.encoder import encode_basestring as quoted

VERSION = "1"
GENESIS = bytes(32)
PAGE_BITS = 10


class Unreadable(Exception):
    """A file is not what it should be."""


class Report:
    """What was found, and what was looked at."""

    def __init__(self):
        self.wrong, self.notes, self.seen = [], [], []
        self.unseen = []  # what should have been looked at, and could not be
        self.is_proven = True  # by anchors, to the last event, under keys that were given

    def bad(self, sentence):
        if sentence not in self.wrong:
            self.wrong.append(sentence)

    def note(self, sentence):
        if sentence not in self.notes:
            self.notes.append(sentence)

    def could_not(self, sentence):
        if sentence not in self.unseen:
            self.unseen.append(sentence)


# -- Ed25519 (RFC 8032), verification alone

_P = 2**255 - 19
_L = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, _P - 2, _P) % _P
_ROOT = pow(2, (_P - 1) // 4, _P)


def _point(data):
    """The point that 32 bytes stand for, as (X, Y, Z, T); None if there is none."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    if y >= _P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, _P - 2, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P:
        x = x * _ROOT % _P
    if (x * x - square) % _P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = _P - x
    return x, y, 1, x * y % _P


def _add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % _P, (p[1] + p[0]) * (q[1] + q[0]) % _P
    c, d = 2 * p[3] * q[3] * _D % _P, 2 * p[2] * q[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _times(number, p):
    found = (0, 1, 1, 0)
    while number:
        if number & 1:
            found = _add(found, p)
        p, number = _add(p, p), number >> 1
    return found


_BASE = _point((4 * pow(5, _P - 2, _P) % _P).to_bytes(32, "little"))


def is_signed(content, public, signature):
    """Whether this is the Ed25519 signature of the content by this key; both as hexadecimal."""
    try:
        key, signed = bytes.fromhex(public), bytes.fromhex(signature)
    except (ValueError, TypeError):
        return False
    if len(key) != 32 or len(signed) != 64:
        return False
    point, scalar = _point(key), int.from_bytes(signed[32:], "little")
    if point is None or scalar >= _L:
        return False
    mixed = int.from_bytes(sha512(signed[:32] + key + content).digest(), "little") % _L
    x, y, z, t = point
    got = _add(_times(scalar, _BASE), _times(mixed, (_P - x, y, z, _P - t)))
    inverse = pow(got[2], _P - 2, _P)
    x, y = got[0] * inverse % _P, got[1] * inverse % _P
    return (y | (x & 1) << 255).to_bytes(32, "little") == signed[:32]


# -- Merkle trees (RFC 6962)


def leaf(text):
    return sha256(b"\0" + text.encode()).digest()


def root_of(leaves):
    """The root over hashes of leaves."""
    level = list(leaves)
    if not level:
        return sha256(b"").digest()
    while len(level) > 1:
        pairs = range(0, len(level) - 1, 2)
        above = [sha256(b"\1" + level[at] + level[at + 1]).digest() for at in pairs]
        level = above + level[-1:] if len(level) % 2 else above
    return level[0]


def root_by(found, index, count, path):
    """The root to which a path leads; None if it is no path of leaf `index` of `count`."""
    rest, last = [bytes.fromhex(one) for one in path], count - 1
    if not 0 <= index < count:
        return None
    while last:
        if index % 2 or index < last:
            if not rest:
                return None
            other = rest.pop(0)
            pair = other + found if index % 2 else found + other
            found = sha256(b"\1" + pair).digest()
        index, last = index // 2, last // 2
    return None if rest else found


# -- events


def link(previous, case, number, event):
    """The hash of this event as number so-and-so after the hash `previous`."""
    line = '[%d,%d,%s,%s,%s,%s,"%s","%s"]' % (
        case,
        number,
        quoted(event["type"]),
        event["data_text"],
        quoted(event["actor"]),
        quoted(event["on_behalf"]),
        event["happened_at"],
        event["recorded_at"],
    )
    return sha256(previous + line.encode()).digest()


def first_wrong(case, events, count, head):
    """(number, sentence) of the first event that does not follow from those before; None."""
    previous = GENESIS
    for number, event in enumerate(events, start=1):
        sealed = link(previous, case, number, event)
        if event["number"] != number or sealed != event["sealed"]:
            return number, _why(case, previous, number, events[number - 1 :], count)
        previous = sealed
    if len(events) > count:
        return count + 1, "Event %d comes after the end of the history, which is %d." % (
            count + 1,
            count,
        )
    if len(events) < count:
        return len(events) + 1, "Event %d is missing, and so is all after it up to %d." % (
            len(events) + 1,
            count,
        )
    if head and previous != head:
        return count, (
            "Event %d ends a sound chain, but not the one that the case's head seals: events were "
            "replaced with their hashes, or the head was." % count
        )
    return None


def _why(case, previous, number, rest, count):
    wrong = rest[0]
    if number > count:
        return "Event %d comes after the end of the history, which is %d." % (number, count)
    if wrong["number"] != number:
        return "Event %d is missing; the next one is %d." % (number, wrong["number"])
    for place, event in enumerate(rest[1:], start=1):
        sealed = link(previous, case, number, event)
        if sealed not in (event["sealed"], wrong["sealed"]):
            continue
        before = sealed if place == 1 else rest[place - 1]["sealed"]
        if link(before, case, event["number"], wrong) in (event["sealed"], wrong["sealed"]):
            return "Events %d and %d have changed places." % (number, event["number"])
        if sealed == event["sealed"]:
            return "Event %d was put in; the true one now has number %d." % (
                number,
                event["number"],
            )
    return "Event %d is not what was recorded: its hash does not fit its content." % number


# -- anchors


class Anchor:
    """One signed line, with its signatures, stamps, and the file of heads beside it."""

    def __init__(self, record, where):
        try:
            self.text, self.signatures = record["text"], record["signatures"]
            self.said = json.loads(self.text)
            self.number, self.key = int(self.said["number"]), str(self.said["key"])
            self.hash = sha256(self.text.encode()).digest()
            pairs = [(one["key"], one["signature"]) for one in self.signatures]
            self.root, self.pages = bytes.fromhex(self.said["root"]), int(self.said["pages"])
        except (KeyError, TypeError, ValueError) as error:
            raise Unreadable("%s holds no anchor: %s" % (where, error)) from None
        if self.said.get("format") != "longcase anchor 1":
            raise Unreadable("%s: this verifier does not know its format." % where)
        self.signed_by, self.stamps, self.heads_file = dict(pairs), record.get("stamps", []), None

    def __str__(self):
        return "anchor %d of %s" % (self.number, self.said["day"])

    def is_signed_by(self, key):
        return is_signed(self.text.encode(), key, self.signed_by.get(key, ""))


def stamp_in(token):
    """(hash, time) that a time stamp of RFC 3161 holds. Its own signature is not looked at."""
    content = _parts(_parts(_parts(token)[0][1])[1][1])[0][1]  # SignedData
    inner = _parts(_parts(_parts(content)[2][1])[1][1])[0][1]  # eContent
    told = _parts(_parts(inner)[0][1])  # TSTInfo
    imprint = _parts(told[2][1])[1][1]
    return imprint, next(value for tag, value in told if tag == 0x18).decode()


def _parts(data):
    """The (tag, content) of each element of DER, one after the other."""
    found, at = [], 0
    while at < len(data):
        tag, size, at = data[at], data[at + 1], at + 2
        if size & 0x80:
            more = size & 0x7F
            size, at = int.from_bytes(data[at : at + more], "big"), at + more
        found.append((tag, data[at : at + size]))
        at += size
    return found


def check_stamps(anchor, report):
    for stamp in anchor.stamps:
        try:
            imprint, moment = stamp_in(base64.b64decode(stamp["token"]))
        except (KeyError, IndexError, ValueError, StopIteration):
            report.bad("A time stamp of the %s cannot be read." % anchor)
            continue
        if imprint != anchor.hash:
            report.bad("A time stamp of the %s is of something else." % anchor)
        else:
            report.note(
                "The %s has a time stamp of %s by %s; openssl ts -verify checks who stamped it."
                % (anchor, moment, stamp.get("authority", "somebody"))
            )


def read_anchors(path):
    """The anchors of a folder, or of one file, by number."""
    found = {}
    names = [path]
    if os.path.isdir(path):
        names = sorted(
            os.path.join(path, name)
            for name in os.listdir(path)
            if re.match(r"anchor-\d+.*\.json$", name)
        )
    for name in names:
        for number, line in enumerate(_lines(name), start=1):
            record = _json(line, "%s, line %d" % (name, number))
            if isinstance(record, dict) and "anchor" in record:
                record = record["anchor"]
            anchor = Anchor(record, "%s, line %d" % (name, number))
            other = found.setdefault(anchor.number, anchor)
            if other.text != anchor.text:
                raise Unreadable("%s: there is another anchor %d." % (name, anchor.number))
            heads = re.sub(r"\.json$", ".heads.gz", name)
            if len(names) > 1 or os.path.isdir(path):
                anchor.heads_file = heads if os.path.exists(heads) else None
    if not found:
        raise Unreadable("%s holds no anchors." % path)
    return found


def check_anchors(anchors, keys, report, is_whole=True):
    """Signatures, keys, and that each names the one before it; the keys that are trusted then."""
    trusted, before = set(keys), None
    for number in sorted(anchors):
        anchor = anchors[number]
        if not anchor.is_signed_by(anchor.key):
            report.bad("The %s is not signed by the key that it names." % anchor)
        check_stamps(anchor, report)
        if before is None and number > 1 and is_whole:
            report.note("The first anchor here is %d; what was before is not looked at." % number)
        if before is not None and number != before.number + 1 and is_whole:
            report.bad("Between anchor %d and %d others are missing." % (before.number, number))
        if before is not None and number == before.number + 1:
            _check_next(before, anchor, report)
        if keys and anchor.key not in trusted:
            old = [key for key in anchor.signed_by if key in trusted and anchor.is_signed_by(key)]
            if old:
                trusted.add(anchor.key)
                report.note(
                    "From the %s on there is a new key, %s…, which the key before it confirmed."
                    % (anchor, anchor.key[:16])
                )
            else:
                report.bad(
                    "The %s is signed by %s…, which is none of the keys that were given."
                    % (anchor, anchor.key[:16])
                )
        before = anchor
    if not keys:
        report.is_proven = False
        named = ", ".join(sorted({anchor.key for anchor in anchors.values()}))
        report.note(
            "No public key was given: compare those that are named here with the published ones: %s"
            % named
        )
    return trusted


def _check_next(before, anchor, report):
    if anchor.said["previous"] != before.hash.hex():
        report.bad("The %s does not follow from the %s." % (anchor, before))
    if anchor.said["made_at"] < before.said["made_at"]:
        report.bad("The %s says that it is older than the %s." % (anchor, before))
    for what in ("cases", "events"):
        if anchor.said[what] < before.said[what]:
            report.bad("The %s holds fewer %s than the %s." % (anchor, what, before))
    if anchor.key != before.key and not anchor.is_signed_by(before.key):
        report.note(
            "The %s is signed by a new key, %s…, which the key before it did not confirm."
            % (anchor, anchor.key[:16])
        )


def heads_in(anchor, report):
    """(case, number, hash, text) of each line of an anchor's file of heads."""
    seen, count = sha256(), 0
    opened = gzip.open if anchor.heads_file.endswith(".gz") else open
    try:
        with opened(anchor.heads_file, "rb") as file:
            for line in file:
                seen.update(line)
                count += 1
                text = line.decode().rstrip("\n")
                _word, case, number, hash = json.loads(text)
                yield case, number, hash, text
    except (OSError, EOFError, ValueError, TypeError, zlib.error):
        report.bad("The file of heads of the %s cannot be read, or not to its end." % anchor)
        return
    if seen.hexdigest() != anchor.said["heads"] or count != anchor.said["moved"]:
        report.bad("The file of heads of the %s is not the one that was signed." % anchor)


def check_heads(anchors, report):
    """That the heads which moved lead to each root; and that no history ever became shorter."""
    if any(one.heads_file is None for one in anchors.values()) or min(anchors) != 1:
        report.note("Not every anchor has its file of heads here: roots were not computed again.")
        return
    pages, leaves = {}, {}
    for number in sorted(anchors):
        anchor, changed = anchors[number], set()
        for case, end, _hash, text in heads_in(anchor, report):
            page = pages.setdefault(case >> PAGE_BITS, {})
            was = page.get(case)
            if was is not None and was[0] >= end:
                report.bad(
                    "Case %d ended at event %d, and at %d at the %s." % (case, was[0], end, anchor)
                )
            page[case] = (end, leaf(text))
            changed.add(case >> PAGE_BITS)
        for page in changed:
            heads = pages[page]
            root = root_of([heads[case][1] for case in sorted(heads)])
            events = sum([end for end, _hash in heads.values()])
            leaves[page] = leaf('["page",%d,%d,%d,"%s"]' % (page, len(heads), events, root.hex()))
        if root_of([leaves[page] for page in sorted(leaves)]) != anchor.root:
            report.bad("The heads of the %s do not lead to the root that was signed." % anchor)
    cases = sum(len(page) for page in pages.values())
    report.seen.append("the roots of %d anchors over %d cases" % (len(anchors), cases))


# -- an exported case


_FIELDS = {"number", "hash", "opened_text"}
_TEXTS = ("type", "data_text", "actor", "on_behalf", "happened_at", "recorded_at")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")


class Bundle:
    """An exported case: its first line, its events, anchors and paths, and what is wrong with the
    file itself."""

    def __init__(self, path):
        self.header, self.events, self.anchors, self.paths = None, [], {}, []
        self.broken = ""  # why the file is not the one that was written
        self._end, self._seen, self._count = None, sha256(), 0
        for line in _lines(path, keep=True):
            self._count += 1
            where = "%s, line %d" % (path, self._count)
            try:
                self._take(_json(line, where), where)
            except Unreadable as error:
                # What stands before shows the first bad event, or how many are missing.
                if self.header is None:
                    raise
                self.broken = str(error)
                break
            self._seen.update(line)
        if self.header is None:
            raise Unreadable("%s is empty." % path)
        if self._end is None and not self.broken:
            self.broken = "%s is not whole: its last line is missing." % path

    def _take(self, record, where):
        if self._end is not None:
            raise Unreadable("%s comes after the end." % where)
        if self._count == 1:
            if not isinstance(record, dict) or record.get("bundle") != "longcase case 1":
                raise Unreadable("%s: this is no exported case that I know." % where)
            self.header = record
        elif not isinstance(record, dict) or len(record) != 1:
            raise Unreadable("%s is no line that Longcase writes." % where)
        elif "event" in record:
            self.events.append(_event(record["event"], where))
        elif "anchor" in record:
            anchor = Anchor(record["anchor"], where)
            if anchor.number in self.anchors:
                raise Unreadable("%s holds anchor %d once more." % (where, anchor.number))
            self.anchors[anchor.number] = anchor
        elif "path" in record:
            self.paths.append(record["path"])
        elif "end" in record:
            self._end = record["end"]
            if self._end != {"lines": self._count - 1, "sha256": self._seen.hexdigest()}:
                self.broken = "The file was changed, or lines of it are missing: its end says so."
        else:
            raise Unreadable("%s is no line that Longcase writes." % where)


def _event(event, where):
    """The event of a line, so that its fields are those that its hash covers and no others: each
    has one spelling, or what belongs to one could be read as part of the next."""
    try:
        if set(event) - _FIELDS - set(_TEXTS):
            raise ValueError("it has more than history holds")
        for name in _TEXTS:
            if not isinstance(event[name], str):
                raise ValueError("%s is no text" % name)
        for name in ("happened_at", "recorded_at"):
            if not _MOMENT.fullmatch(event[name]):
                raise ValueError("%s is no moment" % name)
        return dict(event, sealed=bytes.fromhex(event["hash"]))
    except (KeyError, TypeError, ValueError) as error:
        raise Unreadable("%s: this is no event: %s" % (where, error)) from None


def check_bundle(path, trusted, keys, report):
    """All that a bundle can show, against anchors kept elsewhere where there are any."""
    bundle = Bundle(path)
    header, events, anchors, broken = bundle.header, bundle.events, bundle.anchors, bundle.broken
    case, name = int(header["case"]), header.get("reference") or "Case %s" % header["case"]
    _check_names(case, name, header, events, report)
    head = bytes.fromhex(header["head"]) if header.get("head") else b""
    found = first_wrong(case, events, int(header["events"]), head)
    check_anchors(anchors, keys, report, is_whole=False)
    ends = _ends_by_paths(case, name, anchors, bundle.paths, report, is_whole=not broken)
    if trusted is not None:
        for number, anchor in sorted(anchors.items()):
            if number not in trusted:
                report.note("The %s is not among the anchors that were given." % anchor)
            elif trusted[number].text != anchor.text:
                report.bad("The %s is not the one that was kept elsewhere." % anchor)
        ends += _ends_by_heads(case, trusted, report)
    wrong = _first_against(events, found, ends)
    if wrong:
        report.bad("%s: %s" % (name, wrong))
    if broken:
        report.bad("%s: %s" % (name, broken))
    last = max([end for _anchor, end, _hash in ends] or [0])
    report.seen.append("%s: %d events, %d of them anchored" % (name, len(events), last))
    if last < len(events):
        report.is_proven = False
    if not ends:
        report.note("%s: no anchor holds this case yet; its chain alone was looked at." % name)
        if keys:
            report.could_not("%s: nothing in it is signed, by these keys or any." % name)
    elif last < len(events):
        report.note(
            "%s: events %d to %d came after the last anchor here." % (name, last + 1, len(events))
        )
        _check_late(name, events[last:], ends, report)
    if "facts" in header or "title" in header:
        report.note(
            "%s: what its first line tells of the case (title, step, facts, …) is for reading; "
            "what was proven are the events." % name
        )
    _check_opened(name, header, events, report)


def _check_names(case, name, header, events, report):
    """Whether the first line names the case whose events these are."""
    if header.get("reference") and int(re.sub(r".*\D", "", name) or 0) != case:
        report.bad("%s does not name case %d, whose events these are." % (name, case))
    if not events or events[0]["type"] != "case.opened":
        return
    opened = _json(events[0]["data_text"].encode(), "%s: the data of event 1" % name)
    for what in ("reference", "kind"):
        if what in header and opened.get(what, header[what]) != header[what]:
            report.bad(
                "%s: its first line says %s “%s”, and event 1 “%s”."
                % (name, what, header[what], opened[what])
            )


def _check_late(name, events, ends, report):
    """Tell of events that no anchor holds although they say that they are older than one."""
    newest = max(ends, key=lambda one: one[0].number)[0]
    made = str(newest.said["made_at"])
    for event in events:
        if event["recorded_at"][:13] < made[:13]:  # the hour: a commit takes a while
            report.note(
                "%s: event %d says that it was recorded at %s, before the %s was made (%s), which "
                "does not hold it: ask why."
                % (name, event["number"], event["recorded_at"], newest, made)
            )
            break


def _ends_by_paths(case, name, anchors, paths, report, is_whole):
    """(anchor, number, hash): where the case ended, as anchors hold it by its paths."""
    ends = []
    for path in paths:
        if not isinstance(path, dict):
            report.bad("%s: a path to an anchor cannot be read." % name)
    paths = [path for path in paths if isinstance(path, dict)]
    for path in paths:
        try:
            anchor = anchors.get(path.get("anchor"))
            word, of, number, hash = json.loads(path["head"])
            page_word, page, cases, _events, root = json.loads(path["page"])
            inner = root_by(leaf(path["head"]), path["index"], cases, path["path"])
            outer = root_by(leaf(path["page"]), path["page_index"], anchor.pages, path["page_path"])
        except (KeyError, TypeError, ValueError, AttributeError):
            report.bad("%s: a path to an anchor cannot be read." % name)
            continue
        fits = (word, of, page_word, page) == ("case", case, "page", case >> PAGE_BITS)
        if not fits or inner is None or inner.hex() != root or outer != anchor.root:
            report.bad("%s: its path does not lead to the root of the %s." % (name, anchor))
            continue
        ends.append((anchor, number, hash))
    for anchor in anchors.values() if is_whole else ():
        if not any(path.get("anchor") == anchor.number for path in paths):
            report.note("%s: the %s does not hold this case." % (name, anchor))
    return ends


def _ends_by_heads(case, trusted, report):
    ends, mark = [], '["case",%d,' % case
    for anchor in trusted.values():
        if anchor.heads_file is not None:
            for of, number, hash, text in heads_in(anchor, report):
                if of == case and text.startswith(mark):
                    ends.append((anchor, number, hash))
    return ends


def _first_against(events, found, ends):
    """The sentence about the first wrong event, by the chain and by the anchors."""
    held = 0
    first = found[0] if found else len(events) + 1
    for anchor, number, hash in sorted(ends, key=lambda one: (one[1], one[0].number)):
        if number > len(events):
            sentence = "Event %d is missing, and so is all after it up to %d, which the %s holds."
            if found is None or first > len(events):
                return sentence % (len(events) + 1, number, anchor)
            break
        if number >= first:
            break
        if events[number - 1]["hash"] != hash:
            which = "Event %d is" % number
            if held + 1 < number:
                which = "Of events %d to %d, the first or a later one is" % (held + 1, number)
            return which + (
                " not what was recorded: their chain is sound, but at the %s event %d had another "
                "hash. Events up to %d are as they were." % (anchor, number, held)
            )
        held = number
    return found[1] if found else None


# -- what is sealed

_FRONT = '{"$box":"'
_TAG = re.compile(r'\{"\$sealed(?:_value|_map|_list)?":(\d+)\}')


def _cipher(header):
    """What opens the boxes of this case: a function of nonce, box and name; None without a key."""
    if not header.get("data_key"):
        return None
    key = base64.b64decode(header["data_key"])
    if len(key) != 32:
        raise ValueError("the key of the case in the file is none")
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError:
        return Gcm(key).decrypt  # the same, slower
    return AESGCM(key).decrypt


def _doubled(value):
    return value << 1 ^ (0x11B if value & 0x80 else 0)


def _tables():
    """The S-box of AES, and for each byte the column that it gives (SubBytes, MixColumns)."""
    powers, value = [], 1
    for _ in range(255):
        powers.append(value)
        value ^= _doubled(value)
    box, columns = [], []
    for byte in range(256):
        inverse = powers[-powers.index(byte) % 255] if byte else 0
        bits = inverse | inverse << 8
        mixed = 0x63
        for turn in (0, 4, 5, 6, 7):
            mixed ^= bits >> turn & 0xFF
        twice = _doubled(mixed)
        box.append(mixed)
        columns.append(twice << 24 | mixed << 16 | mixed << 8 | twice ^ mixed)
    return box, columns


class Gcm:
    """AES-256-GCM (FIPS 197, SP 800-38D), opening alone, with nonces of 12 bytes."""

    def __init__(self, key):
        self._box, column = _tables()
        self._columns = [
            [c >> turn | (c << 32 - turn) & 0xFFFFFFFF for c in column] for turn in (0, 8, 16, 24)
        ]
        words = [int.from_bytes(key[at : at + 4], "big") for at in range(0, 32, 4)]
        constant = 1
        for at in range(8, 60):
            word = words[-1]
            if at % 8 == 0:
                word = self._substituted(word << 8 & 0xFFFFFFFF | word >> 24) ^ constant << 24
                constant = _doubled(constant)
            elif at % 8 == 4:
                word = self._substituted(word)
            words.append(words[-8] ^ word)
        self._keys = [words[at : at + 4] for at in range(0, 60, 4)]
        self._hash_key = int.from_bytes(self._block(bytes(16)), "big")

    def _substituted(self, word):
        return int.from_bytes(bytes(self._box[one] for one in word.to_bytes(4, "big")), "big")

    def _block(self, block):
        """One block, encrypted."""
        first, second, third, fourth = self._columns
        state = [
            int.from_bytes(block[4 * at : 4 * at + 4], "big") ^ self._keys[0][at] for at in range(4)
        ]
        for key in self._keys[1:-1]:
            state = [
                first[state[at] >> 24]
                ^ second[state[(at + 1) % 4] >> 16 & 0xFF]
                ^ third[state[(at + 2) % 4] >> 8 & 0xFF]
                ^ fourth[state[(at + 3) % 4] & 0xFF]
                ^ key[at]
                for at in range(4)
            ]
        last = b""
        for at in range(4):
            word = 0
            for place in range(4):
                word = word << 8 | self._box[state[(at + place) % 4] >> 24 - 8 * place & 0xFF]
            last += (word ^ self._keys[-1][at]).to_bytes(4, "big")
        return last

    def _hashed(self, content):
        found = 0
        for at in range(0, len(content), 16):
            left = found ^ int.from_bytes(content[at : at + 16], "big")
            found, right = 0, self._hash_key
            for bit in range(127, -1, -1):
                if left >> bit & 1:
                    found ^= right
                right = right >> 1 ^ (0xE1 << 120 if right & 1 else 0)
        return found

    def decrypt(self, nonce, sealed, name):
        """The content of a box that has this name. Raises ValueError if it does not open."""
        if len(nonce) != 12 or len(sealed) < 16:
            raise ValueError("this is no box")
        content, tag = sealed[:-16], sealed[-16:]
        padded = b"".join(one + bytes(-len(one) % 16) for one in (name, content))
        sizes = (8 * len(name)).to_bytes(8, "big") + (8 * len(content)).to_bytes(8, "big")
        mask = int.from_bytes(self._block(nonce + b"\0\0\0\1"), "big")
        if self._hashed(padded + sizes) ^ mask != int.from_bytes(tag, "big"):
            raise ValueError("it does not open")
        stream = b"".join(
            self._block(nonce + (2 + at).to_bytes(4, "big")) for at in range(-(-len(content) // 16))
        )
        size = len(content)
        mixed = int.from_bytes(content, "big") ^ int.from_bytes(stream[:size], "big")
        return mixed.to_bytes(size, "big")


def open_box(text, case, number, decrypt):
    """The text of an event's data with what is sealed put into its places. Raises ValueError."""
    end = text.index('"', len(_FRONT))
    head, _dot, box = text[len(_FRONT) : end].rpartition(".")
    if head != "%d.%d" % (case, number):
        raise ValueError("it has the box of another event")
    try:
        sealed = base64.b64decode(box)
        content = decrypt(sealed[:12], sealed[12:], head.encode()).decode()
    except Exception:
        raise ValueError("its box does not open with the key of the case") from None
    lines = content.split("\n")
    return _TAG.sub(lambda tag: lines[int(tag.group(1))], "{" + text[end + 2 :])


def _check_opened(name, header, events, report):
    """Whether the readable texts beside what is sealed say the same. Without the key of the case
    nobody can tell, and who changed them may have taken it out."""
    sealed = [event for event in events if event["data_text"].startswith(_FRONT)]
    opened = [event for event in events if "opened_text" in event]
    try:
        decrypt = _cipher(header)
    except (ValueError, TypeError) as error:
        report.bad("%s: %s." % (name, error))
        return
    if decrypt is None and sealed and not opened:
        report.note("%s: personal texts are sealed here, and stay so." % name)
    compared = 0
    for event in events:
        told = event.get("opened_text")
        if not event["data_text"].startswith(_FRONT):
            if told not in (None, event["data_text"]):
                report.bad("%s: Event %d reads otherwise than it is." % (name, event["number"]))
        elif decrypt is not None and not event["data_text"].startswith(_FRONT + '"'):
            compared += 1
            try:
                text = open_box(event["data_text"], int(header["case"]), event["number"], decrypt)
                wrong = "" if text == told else "reads otherwise than what is sealed"
                if told is None:
                    wrong = "its readable text is missing, though the file holds the key"
            except (ValueError, IndexError) as error:
                wrong = str(error)
            if wrong:
                report.bad("%s: Event %d: %s." % (name, event["number"], wrong))
                break
    if decrypt is not None:
        report.seen.append("%s: %d sealed events opened and compared" % (name, compared))
    elif opened:
        report.could_not(
            "%s: the readable texts of %d events are not proven: the file does not hold the key of "
            "the case, by which they are compared with what is sealed. Believe none of them."
            % (name, len(opened))
        )


# -- files


def _lines(path, keep=False):
    try:
        with open(path, "rb") as file:
            for line in file:
                if line.strip():
                    yield line if keep else line.strip()
    except OSError as error:
        raise Unreadable("%s cannot be read: %s" % (path, error)) from None


def _json(line, where):
    try:
        return json.loads(line.decode(), object_pairs_hook=_once)
    except (ValueError, RecursionError):
        raise Unreadable("%s is not JSON, or has a name twice." % where) from None


def _once(pairs):
    """A mapping; where a name comes twice, readers would not agree on which one counts."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name comes twice")
    return found


def read_keys(words):
    """Public keys, from themselves or from files of them."""
    found = []
    for word in words:
        text = word
        if not re.match(r"^[0-9a-fA-F]{64}$", word):
            text = b"\n".join(_lines(word)).decode("ascii", "replace")
        keys = re.findall(r"\b[0-9a-fA-F]{64}\b", text)
        if not keys:
            raise Unreadable("%s holds no public key of 64 hexadecimal signs." % word)
        found += [key.lower() for key in keys]
    return found


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description="Check exported cases and anchors of Longcase.",
        epilog="Ends with 0 if all is as recorded, 1 if not, 2 if it could not look.",
    )
    parser.add_argument("cases", nargs="*", help="exported cases, as LN-2026-000417.jsonl")
    parser.add_argument("--anchors", help="the folder, or the file, of anchors kept elsewhere")
    parser.add_argument("--keys", action="append", default=[], help="a public key, or a file")
    given = parser.parse_args(arguments)
    if not given.cases and not given.anchors:
        parser.print_usage(sys.stderr)
        return 2
    report = Report()
    try:
        keys, trusted = read_keys(given.keys), None
        if given.anchors:
            trusted = read_anchors(given.anchors)
            # Whom the anchors kept elsewhere name, or confirmed, may sign those in an export.
            keys = sorted(check_anchors(trusted, keys, report)) or sorted(
                {anchor.key for anchor in trusted.values()}
            )
            report.seen.append("%d anchors, up to %s" % (len(trusted), trusted[max(trusted)]))
            if not given.cases:
                check_heads(trusted, report)
    except Unreadable as error:
        report.could_not(str(error))
    except _NONSENSE:
        report.could_not("%s is not written as Longcase does." % given.anchors)
    else:
        for path in given.cases:
            try:
                check_bundle(path, trusted, keys, report)
            except Unreadable as error:
                report.could_not(str(error))
            except _NONSENSE:
                report.could_not("%s is not written as Longcase does." % path)
    return tell(report)


# Values that are none: whoever wrote this file was not Longcase, or it was changed.
_NONSENSE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError)


def tell(report):
    """Print what was found; 0, 1 or 2."""
    for sentence in report.wrong:
        print("WRONG   %s" % sentence)
    for sentence in report.unseen:
        print("Cannot look: %s" % sentence, file=sys.stderr)
    for sentence in report.notes:
        print("note    %s" % sentence)
    for sentence in report.seen:
        print("seen    %s" % sentence)
    if report.wrong:
        print("Something is not as it was recorded.")
        return 1
    if report.unseen:
        print("Nothing wrong was seen, but not all could be looked at.")
        return 2
    if report.is_proven:
        print("All is as it was recorded.")
    else:
        print("Nothing wrong was seen. The notes say what no signature under a known key proves.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
