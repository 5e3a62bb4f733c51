"""The app: pays dollars of customers to their bank accounts."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import requests


class Payouts:
    def __init__(self, base_url: str, credentials: tuple[str, str]) -> None:
        self._base_url = base_url
        self._session = requests.Session()
        self._session.auth = credentials

    def dollars(self, customer_id: str) -> Any:
        """Returns the customer's account in US dollars."""
        query = {"customerId": customer_id, "currency": "USD"}
        return self._call("GET", "/customers/internal-accounts", params=query)["data"][0]

    def add_bank(self, customer_id: str, account_number: str, holder: str) -> str:
        """Registers a bank account in the US and returns its id."""
        account = {
            "accountType": "USD_ACCOUNT",
            "accountNumber": account_number,
            "routingNumber": "021000021",
            "beneficiary": {"beneficiaryType": "INDIVIDUAL", "fullName": holder},
        }
        body = {"customerId": customer_id, "currency": "USD", "accountInfo": account}
        return str(self._call("POST", "/customers/external-accounts", json=body)["id"])

    def pay(self, source_id: str, bank_id: str, cents: int, *, key: UUID) -> Any:
        """Pays once, however often you call it with the same key."""
        body = {"source": {"accountId": source_id}, "destination": {"accountId": bank_id}, "amount": cents}
        headers = {"Idempotency-Key": str(key)}
        try:
            return self._call("POST", "/transfer-out", json=body, headers=headers)
        except requests.ConnectionError:
            # The money may have left or not. Because of the key, it is safe to send the request again.
            return self._call("POST", "/transfer-out", json=body, headers=headers)

    def payment(self, transaction_id: str) -> Any:
        return self._call("GET", f"/transactions/{transaction_id}")

    def _call(self, method: str, path: str, **request: Any) -> Any:
        response = self._session.request(method, self._base_url + path, timeout=30, **request)
        response.raise_for_status()
        return response.json()
