"""manage.py clients: accounts of programs that call the API, and their tokens."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from cases.actors import service
from cases.errors import Refused
from cases.models import Client, Team, Token
from processes.acts import clients as acts

ACTOR = service("clients-command")


class Command(BaseCommand):
    help = (
        "Accounts of programs that call the API. A new token is printed once and cannot be read "
        "again. Scopes are an act and a kind, such as read:loan or open:*."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        acts_ = parser.add_subparsers(dest="act", required=True)
        acts_.add_parser("list", help="accounts, their scopes and living tokens")
        new = acts_.add_parser("new", help="make an account and its first token")
        new.add_argument("name", help="as history tells it: service:NAME")
        new.add_argument("--title", default="")
        new.add_argument("--team", default="", help="name of the one team whose cases it reaches")
        scopes = acts_.add_parser("scopes", help="say anew what an account may do")
        scopes.add_argument("name")
        for one in (new, scopes):
            one.add_argument("--scope", action="append", default=[], help="may be given again")
        token = acts_.add_parser("token", help="a further token")
        token.add_argument("name")
        secret = acts_.add_parser("secret", help="a secret to get tokens of an hour by OAuth 2")
        secret.add_argument("name")
        secret.add_argument("--days", type=int)
        new.add_argument(
            "--days", type=int, help="for which the token lasts; for good unless given"
        )
        token.add_argument("--days", type=int)
        rotate = acts_.add_parser("rotate", help="a new token in the place of one, by its start")
        rotate.add_argument("start")
        rotate.add_argument("--overlap-hours", type=int, default=0, help="the old one works on")
        revoke = acts_.add_parser("revoke", help="end a token now, by its start")
        revoke.add_argument("start")
        signing = acts_.add_parser("signing", help="a new secret to sign messages with")
        signing.add_argument("name")
        signing.add_argument("--overlap-hours", type=int, default=24, help="the old one works on")
        end = acts_.add_parser("end", help="end an account with all its tokens")
        end.add_argument("name")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            getattr(self, f"do_{options['act']}")(options)
        except Refused as refusal:
            raise CommandError(str(refusal)) from refusal

    def do_list(self, options: dict[str, Any]) -> None:
        for one in Client.objects.select_related("team").order_by("name"):
            ended = "" if one.is_active else ", ended"
            where = f", team {one.team}" if one.team else ""
            self.stdout.write(f"{one.name}: {' '.join(one.scopes) or 'no scope'}{where}{ended}")
            for token in one.tokens.filter(bought_with=None).order_by("pk"):
                if acts.is_alive(token):
                    until = f", until {token.ends_at:%Y-%m-%d %H:%M}" if token.ends_at else ""
                    used = f"used {token.used_at:%Y-%m-%d}" if token.used_at else "never used"
                    self.stdout.write(f"  {token} {used}{until}")

    def do_new(self, options: dict[str, Any]) -> None:
        team = None
        if options["team"]:
            team = Team.objects.filter(name=options["team"]).first()
            if team is None:
                known = ", ".join(Team.objects.order_by("name").values_list("name", flat=True))
                raise CommandError(f"There is no team “{options['team']}”. There are: {known}.")
        client = acts.make_client(
            name=options["name"],
            title=options["title"],
            scopes=options["scope"],
            team=team,
            actor=ACTOR,
        )
        self._show(acts.issue_token(client=client, days=options["days"], actor=ACTOR))

    def do_scopes(self, options: dict[str, Any]) -> None:
        client = self._client(options["name"])
        acts.change_client(client=client, scopes=options["scope"], is_active=True, actor=ACTOR)
        self.stdout.write(f"{client.name}: {' '.join(client.scopes) or 'no scope'}")

    def do_token(self, options: dict[str, Any]) -> None:
        client = self._client(options["name"])
        self._show(acts.issue_token(client=client, days=options["days"], actor=ACTOR))

    def do_secret(self, options: dict[str, Any]) -> None:
        client = self._client(options["name"])
        days = options["days"]
        self._show(acts.issue_token(client=client, days=days, is_secret=True, actor=ACTOR))

    def do_rotate(self, options: dict[str, Any]) -> None:
        token = self._token(options["start"])
        hours = options["overlap_hours"]
        self._show(acts.rotate_token(token=token, overlap_hours=hours, actor=ACTOR))

    def do_revoke(self, options: dict[str, Any]) -> None:
        token = acts.revoke_token(token=self._token(options["start"]), actor=ACTOR)
        self.stdout.write(f"{token} is revoked: its next call is refused.")

    def do_signing(self, options: dict[str, Any]) -> None:
        client = self._client(options["name"])
        hours = options["overlap_hours"]
        text = acts.change_signing(client=client, overlap_hours=hours, actor=ACTOR)
        self.stderr.write("The secret to sign messages with:")
        self.stdout.write(text)

    def do_end(self, options: dict[str, Any]) -> None:
        client = self._client(options["name"])
        acts.change_client(client=client, scopes=client.scopes, is_active=False, actor=ACTOR)
        self.stdout.write(f"{client.name} is ended: its next call is refused.")

    def _show(self, made: tuple[Token, str]) -> None:
        _token, text = made
        self.stderr.write("The token, shown this once:")
        self.stdout.write(text)

    def _client(self, name: str) -> Client:
        found = Client.objects.filter(name=name).first()
        if found is None:
            raise CommandError(f"There is no account “{name}”; `clients list` shows them.")
        return found

    def _token(self, start: str) -> Token:
        found = list(Token.objects.filter(start=start.rstrip("…")[:8])[:2])
        if len(found) != 1:
            raise CommandError(
                f"{'No' if not found else 'More than one'} token begins with “{start}”; "
                "`clients list` shows the first 8 characters of each."
            )
        return found[0]
