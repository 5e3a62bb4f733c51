package example;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.UUID;

/** The app: pays dollars of customers to their bank accounts. */
public final class Payouts {
  private final Service service;

  public Payouts(Service service) {
    this.service = service;
  }

  /** Returns the customer's account in US dollars. */
  public JsonNode dollars(String customerId) {
    return service.get("/customers/internal-accounts?currency=USD&customerId=" + customerId).at("/data/0");
  }

  /** Registers a bank account in the US and returns its id. */
  public String addBank(String customerId, String accountNumber, String holder) {
    var account = Map.of(
        "accountType", "USD_ACCOUNT",
        "accountNumber", accountNumber,
        "routingNumber", "021000021",
        "beneficiary", Map.of("beneficiaryType", "INDIVIDUAL", "fullName", holder));
    var body = Map.of("customerId", customerId, "currency", "USD", "accountInfo", account);
    return service.post("/customers/external-accounts", body).get("id").asText();
  }

  /** Pays once, however often you call it with the same key. */
  public JsonNode pay(String sourceId, String bankId, long cents, UUID key) {
    try {
      return transferOut(sourceId, bankId, cents, key);
    } catch (UncheckedIOException broken) {
      // The money may have left or not. Because of the key, it is safe to send the request again.
      return transferOut(sourceId, bankId, cents, key);
    }
  }

  public JsonNode payment(String transactionId) {
    return service.get("/transactions/" + transactionId);
  }

  private JsonNode transferOut(String sourceId, String bankId, long cents, UUID key) {
    var body = Map.of(
        "source", Map.of("accountId", sourceId),
        "destination", Map.of("accountId", bankId),
        "amount", cents);
    return service.call("POST", "/transfer-out", body, Map.of("Idempotency-Key", key.toString()));
  }
}
