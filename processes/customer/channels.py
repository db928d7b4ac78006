"""How a code reaches the customer: by mail, or by telephone where the organisation has a way.

`LONGCASE_TELEPHONE` names a class with `send(number, text)`: the hook for the service that sends
texts. A demo has `Outbox`, which lays them beside its mails.
"""

from __future__ import annotations

from typing import Protocol, cast

from django.conf import settings
from django.core.mail import EmailMessage
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from cases.models import CustomerPage


class Telephone(Protocol):
    """Sends a short text. Raises OSError (such as ConnectionError) where it cannot."""

    def send(self, number: str, text: str) -> None: ...


class Outbox:
    """Stands in for a telephone: lays texts where the demo's mails lie, to be read on a page."""

    def send(self, number: str, text: str) -> None:
        address = "".join(sign for sign in number if sign.isdigit()) + "@telephone.invalid"
        EmailMessage(subject=_("Text message"), body=text, to=[address]).send()


def telephone() -> Telephone | None:
    """The organisation's way to send texts, if it has one."""
    path = settings.LONGCASE_TELEPHONE
    return cast(Telephone, import_string(path)()) if path else None


def send_code(page: CustomerPage, code: str, *, minutes: int) -> None:
    """Tell the customer their code. Nothing of the case is said: mails are read by others too.
    Raises OSError (also smtplib's errors) when it cannot be sent now."""
    text = _(
        "Your code is %(code)s. It opens your page for %(minutes)s minutes, once. If you did not "
        "ask for it, you need do nothing."
    ) % {"code": code, "minutes": minutes}
    line = telephone() if page.phone else None
    if line is not None:
        line.send(page.phone, text)
    elif page.email:
        EmailMessage(subject=_("Your code"), body=text, to=[page.email]).send()
