"""Digests that are asked for by many at one moment."""

from __future__ import annotations

from functools import partial

import pytest

from messaging.digests.models import DigestSubscription
from messaging.inbox.models import Inbox
from messaging.inbox.services.opening import create_inbox
from tests.factories import make_organization
from tests.messaging.digests.conftest import ask
from tests.messaging.inbox.conftest import Mate
from tests.racing import ON_POSTGRESQL, at_once

pytestmark = ON_POSTGRESQL


@pytest.fixture
def inbox(db: None) -> Inbox:
    return create_inbox(organization=make_organization("acme"), slug="release")


def test_set__by_many_at_once_is_one_subscription(coder: Mate) -> None:
    for _ in range(8):
        addresses = [f"ops-{number}@example.com" for number in range(6)]
        answers = at_once(*(partial(ask, coder, address=address) for address in addresses))
        assert [answer.status_code for answer in answers] == [200] * 6
        assert DigestSubscription.objects.get().address in addresses
        answers = at_once(partial(ask, coder, cadence="off"), partial(ask, coder, address=addresses[0]))
        assert [answer.status_code for answer in answers] == [200, 200]
        ask(coder, cadence="off")
