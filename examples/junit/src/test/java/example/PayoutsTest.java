package example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(CountersignExtension.class)
class PayoutsTest {
  private Payouts payouts;
  private String amara;
  private String dollars;

  /** A customer of the ready-made world with 1,000 dollars. */
  @BeforeEach
  void findAmara(Platform platform) {
    payouts = new Payouts(platform.service());
    amara = platform.service().get("/customers?platformCustomerId=world-individual").at("/data/0/id").asText();
    dollars = payouts.dollars(amara).get("id").asText();
  }

  @Test
  void paysAtOnce() {
    var bank = payouts.addBank(amara, "12345678901", "Amara Okafor");
    var payment = payouts.pay(dollars, bank, 25_00, UUID.randomUUID());
    assertEquals("COMPLETED", payment.get("status").asText());
    assertEquals(975_00, balance());
  }

  @Test
  void moneyComesBackFromABankThatDoesNotAnswer(Platform platform) {
    // The last three digits select the outcome: 005 fails after 30 seconds.
    var silent = payouts.addBank(amara, "12345678005", "Amara Okafor");
    var payment = payouts.pay(dollars, silent, 25_00, UUID.randomUUID());
    assertEquals("PENDING", payment.get("status").asText());
    assertEquals(975_00, balance());

    platform.advance(Duration.ofSeconds(30));

    var later = payouts.payment(payment.get("id").asText());
    assertEquals("FAILED", later.get("status").asText());
    assertEquals("TIMED_OUT", later.get("failureReason").asText());
    assertEquals(1_000_00, balance());
  }

  @Test
  void aBrokenConnectionDoesNotPayTwice(Platform platform) {
    var bank = payouts.addBank(amara, "12345678901", "Amara Okafor");
    platform.breakConnectionAfter("createTransferOut");
    var payment = payouts.pay(dollars, bank, 25_00, UUID.randomUUID());
    assertEquals("COMPLETED", payment.get("status").asText());
    assertEquals(975_00, balance());
  }

  private long balance() {
    return payouts.dollars(amara).at("/balance/amount").asLong();
  }
}
