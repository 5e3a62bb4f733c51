from __future__ import annotations

from dataclasses import dataclass
from uuid import uuid4

import pytest
import requests

from sandbox import Clock, Platform
from payouts import Payouts


@dataclass(frozen=True)
class Customer:
    id: str
    dollars: str


@pytest.fixture
def payouts(platform: Platform) -> Payouts:
    return Payouts(platform.base_url, platform.credentials)


@pytest.fixture
def amara(platform: Platform, payouts: Payouts) -> Customer:
    """A customer of the ready-made world with 1,000 dollars."""
    query = {"platformCustomerId": "world-individual"}
    found = requests.get(f"{platform.base_url}/customers", params=query, auth=platform.credentials, timeout=30)
    customer_id = found.json()["data"][0]["id"]
    return Customer(customer_id, payouts.dollars(customer_id)["id"])


def balance(payouts: Payouts, customer: Customer) -> int:
    return int(payouts.dollars(customer.id)["balance"]["amount"])


def test_pays_at_once(payouts: Payouts, amara: Customer) -> None:
    bank = payouts.add_bank(amara.id, "12345678901", "Amara Okafor")
    payment = payouts.pay(amara.dollars, bank, 25_00, key=uuid4())
    assert payment["status"] == "COMPLETED"
    assert balance(payouts, amara) == 975_00


def test_money_comes_back_from_a_bank_that_does_not_answer(payouts: Payouts, amara: Customer, clock: Clock) -> None:
    # The last three digits select the outcome: 005 fails after 30 seconds.
    silent = payouts.add_bank(amara.id, "12345678005", "Amara Okafor")
    payment = payouts.pay(amara.dollars, silent, 25_00, key=uuid4())
    assert payment["status"] == "PENDING"
    assert balance(payouts, amara) == 975_00

    clock.advance(seconds=30)

    later = payouts.payment(payment["id"])
    assert (later["status"], later["failureReason"]) == ("FAILED", "TIMED_OUT")
    assert balance(payouts, amara) == 1_000_00


def test_two_platforms_do_not_see_each_other(payouts: Payouts, amara: Customer, own_platform: Platform) -> None:
    bank = payouts.add_bank(amara.id, "12345678901", "Amara Okafor")
    payouts.pay(amara.dollars, bank, 25_00, key=uuid4())
    other = Payouts(own_platform.base_url, own_platform.credentials)
    query = {"platformCustomerId": "world-individual"}
    found = requests.get(f"{own_platform.base_url}/customers", params=query, auth=own_platform.credentials, timeout=30)
    assert other.dollars(found.json()["data"][0]["id"])["balance"]["amount"] == 1_000_00
    assert balance(payouts, amara) == 975_00


def test_a_broken_connection_does_not_pay_twice(payouts: Payouts, amara: Customer, platform: Platform) -> None:
    bank = payouts.add_bank(amara.id, "12345678901", "Amara Okafor")
    platform.fail_next("createTransferOut", drop="after")
    payment = payouts.pay(amara.dollars, bank, 25_00, key=uuid4())
    assert payment["status"] == "COMPLETED"
    assert balance(payouts, amara) == 975_00
