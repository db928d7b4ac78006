"""The health pages."""

import pytest
from django.test import Client


def test_live_asks_nothing_of_the_database(client: Client) -> None:
    assert client.get("/health/live").json() == {"live": True}


@pytest.mark.django_db
def test_ready_tells_of_database_and_migrations(client: Client) -> None:
    answer = client.get("/health/ready")
    assert answer.status_code == 200
    assert answer.json()["database"] and answer.json()["migrated"]
