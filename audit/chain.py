"""How each event of a case seals the one before it.

The hash of an event is SHA-256 over

    the 32 bytes of the previous event's hash (GENESIS before the first)
    + the UTF-8 bytes of one canonical JSON array, without spaces:
      [case_id,number,"type",DATA,"actor","on_behalf","happened_at","recorded_at"]

where DATA is the stored text of the event's data, byte for byte, and moments are written as
`2027-03-28T01:00:00.000000Z`. Anyone can compute it again with a JSON library and SHA-256, in
psql too. The array always has eight items, so no two events share their bytes.
"""

from datetime import datetime
from hashlib import sha256
from json.encoder import encode_basestring as quoted  # C where there is C

from audit.codec import utc_text

GENESIS = bytes(32)


def link(
    previous: bytes,
    case_id: int,
    number: int,
    type: str,
    data_text: str,
    actor: str,
    on_behalf: str,
    happened_at: datetime,
    recorded_at: datetime,
) -> bytes:
    """The hash of an event that follows the one with the hash `previous`."""
    # Positional and by hand: this runs once for each event ever written or verified.
    recorded = utc_text(recorded_at)
    happened = recorded if happened_at is recorded_at else utc_text(happened_at)
    line = (
        f"[{case_id},{number},{quoted(type)},{data_text},{quoted(actor)},{quoted(on_behalf)},"
        f'"{happened}","{recorded}"]'
    )
    return sha256(previous + line.encode()).digest()
