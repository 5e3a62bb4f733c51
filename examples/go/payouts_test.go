package payouts_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"testing"
	"time"
)

// amara is a customer of the ready-made world with 1,000 dollars.
type amara struct {
	*platform
	id, dollars string
}

func newAmara(t *testing.T) amara {
	t.Helper()
	p := newPlatform(t)
	var page struct{ Data []struct{ ID string } }
	must(t, p.Call(context.Background(), http.MethodGet, "/customers?platformCustomerId=world-individual", nil, nil, &page))
	account, err := p.Dollars(context.Background(), page.Data[0].ID)
	must(t, err)
	return amara{p, page.Data[0].ID, account.ID}
}

func (a amara) expectBalance(t *testing.T, cents int64) {
	t.Helper()
	account, err := a.Dollars(context.Background(), a.id)
	must(t, err)
	if account.Balance.Amount != cents {
		t.Errorf("the balance is %d, not %d", account.Balance.Amount, cents)
	}
}

func TestPaysAtOnce(t *testing.T) {
	t.Parallel()
	a := newAmara(t)
	bank, err := a.AddBank(context.Background(), a.id, "12345678901", "Amara Okafor")
	must(t, err)
	payment, err := a.Pay(context.Background(), a.dollars, bank, 25_00, newKey(t))
	must(t, err)
	if payment.Status != "COMPLETED" {
		t.Errorf("the payment is %s", payment.Status)
	}
	a.expectBalance(t, 975_00)
}

func TestMoneyComesBackFromABankThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	a := newAmara(t)
	// The last three digits select the outcome: 005 fails after 30 seconds.
	silent, err := a.AddBank(context.Background(), a.id, "12345678005", "Amara Okafor")
	must(t, err)
	payment, err := a.Pay(context.Background(), a.dollars, silent, 25_00, newKey(t))
	must(t, err)
	if payment.Status != "PENDING" {
		t.Errorf("the payment is %s", payment.Status)
	}
	a.expectBalance(t, 975_00)

	a.advance(t, 30*time.Second)

	later, err := a.Payment(context.Background(), payment.ID)
	must(t, err)
	if later.Status != "FAILED" || later.FailureReason != "TIMED_OUT" {
		t.Errorf("the payment is %s %s", later.Status, later.FailureReason)
	}
	a.expectBalance(t, 1_000_00)
}

func TestABrokenConnectionDoesNotPayTwice(t *testing.T) {
	t.Parallel()
	a := newAmara(t)
	bank, err := a.AddBank(context.Background(), a.id, "12345678901", "Amara Okafor")
	must(t, err)
	a.breakConnectionAfter(t, "createTransferOut")
	payment, err := a.Pay(context.Background(), a.dollars, bank, 25_00, newKey(t))
	must(t, err)
	if payment.Status != "COMPLETED" {
		t.Errorf("the payment is %s", payment.Status)
	}
	a.expectBalance(t, 975_00)
}

// newKey makes a UUID, version 4.
func newKey(t *testing.T) string {
	t.Helper()
	var b [16]byte
	_, err := rand.Read(b[:])
	must(t, err)
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
