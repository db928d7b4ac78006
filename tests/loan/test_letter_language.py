"""Letters are in the language of the organisation, whoever makes them go out."""

from __future__ import annotations

from typing import Any

from django.utils import translation


def test_a_letter_is_in_the_language_of_the_installation(
    office: Any, engine: Any, world: Any, settings: Any, mailoutbox: Any
) -> None:
    # Given somebody who reads English, at a Dutch organisation
    settings.LANGUAGE_CODE = "nl"

    # When their act makes a letter go out
    with translation.override("en"):
        office.open()
        engine.settle()

    # Then the customer reads Dutch
    assert mailoutbox[0].subject.startswith("Wij hebben uw aanvraag ontvangen")
    assert "Met vriendelijke groet" in mailoutbox[0].body
