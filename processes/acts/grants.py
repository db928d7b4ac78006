"""OAuth 2, client credentials: a program trades its secret for a token that lasts an hour.

The account, its scopes and its team stay those of processes/acts/clients.py. A token may be cut
down to some of the scopes; it ends with its hour, by revocation, or with the secret.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from django.utils.translation import gettext as _

from cases.actors import Actor
from cases.errors import Invalid
from cases.models import Client, Token
from processes.acts.clients import checked_scopes, digest_of, is_alive
from timers import clock

LASTS = timedelta(hours=1)


def secret_of(client: Client, text: str) -> Token | None:
    """The living secret of this text, if it is this account's and the account may call."""
    found = Token.objects.filter(client=client, digest=digest_of(text), is_secret=True).first()
    return found if found is not None and client.is_active and is_alive(found) else None


def cut_down(client: Client, scopes: Sequence[str]) -> list[str]:
    """These scopes, if the account has them all. Raises Invalid naming one that it lacks."""
    for scope in checked_scopes(scopes):
        act, _colon, kind = scope.partition(":")
        if not (f"{act}:*" in client.scopes or scope in client.scopes):
            sentence = _("%(client)s has no scope “%(scope)s”; an administrator can add it.") % {
                "client": client,
                "scope": f"{act}:{kind}",
            }
            raise Invalid(sentence, {"scope": sentence})
    return sorted(set(scopes))


def grant(*, secret: Token, text: str, scopes: Sequence[str]) -> Token:
    """Keep a token of this text, bought with this secret; without scopes it has the account's."""
    assert secret.client is not None
    now = clock.now()
    Token.objects.filter(pk=secret.pk).update(used_at=now)
    return Token.objects.create(
        client=secret.client,
        start=text[:8],
        digest=digest_of(text),
        scopes=cut_down(secret.client, scopes),
        made_at=now,
        made_by=Actor.of_client(secret.client).code,
        ends_at=now + LASTS,
        bought_with=secret,
    )


def give_back(*, client: Client, text: str) -> None:
    """End a token of an hour early (RFC 7009). One that is not this program's is no concern."""
    Token.objects.filter(
        client=client, digest=digest_of(text), bought_with__isnull=False, revoked_at=None
    ).update(revoked_at=clock.now(), revoked_by=Actor.of_client(client).code)
