// Package payouts pays dollars of a customer to the customer's bank account.
package payouts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// Service is the address of the API, with a token for it.
type Service struct {
	BaseURL      string
	ClientID     string
	ClientSecret string
}

// Account holds money of a customer.
type Account struct {
	ID      string `json:"id"`
	Balance struct {
		Amount int64 `json:"amount"`
	} `json:"balance"`
}

// Payment is a payment to a bank account. FailureReason is empty unless it failed.
type Payment struct {
	ID            string `json:"id"`
	Status        string `json:"status"`
	FailureReason string `json:"failureReason"`
}

// RefusedError is an error answer of the service.
type RefusedError struct {
	Status int
	Body   string
}

func (e *RefusedError) Error() string { return fmt.Sprintf("%d %s", e.Status, e.Body) }

// Dollars finds the customer's account in US dollars.
func (s *Service) Dollars(ctx context.Context, customerID string) (Account, error) {
	query := url.Values{"customerId": {customerID}, "currency": {"USD"}}
	var page struct{ Data []Account }
	if err := s.Call(ctx, http.MethodGet, "/customers/internal-accounts?"+query.Encode(), nil, nil, &page); err != nil {
		return Account{}, err
	}
	if len(page.Data) == 0 {
		return Account{}, fmt.Errorf("%s has no account in US dollars", customerID)
	}
	return page.Data[0], nil
}

// AddBank registers a bank account in the US and returns its id.
func (s *Service) AddBank(ctx context.Context, customerID, accountNumber, holder string) (string, error) {
	body := map[string]any{
		"customerId": customerID,
		"currency":   "USD",
		"accountInfo": map[string]any{
			"accountType":   "USD_ACCOUNT",
			"accountNumber": accountNumber,
			"routingNumber": "021000021",
			"beneficiary":   map[string]any{"beneficiaryType": "INDIVIDUAL", "fullName": holder},
		},
	}
	var account Account
	err := s.Call(ctx, http.MethodPost, "/customers/external-accounts", nil, body, &account)
	return account.ID, err
}

// Pay pays once, however often you call it with the same key, which is a UUID.
func (s *Service) Pay(ctx context.Context, sourceID, bankID string, cents int64, key string) (Payment, error) {
	body := map[string]any{
		"source":      map[string]any{"accountId": sourceID},
		"destination": map[string]any{"accountId": bankID},
		"amount":      cents,
	}
	headers := map[string]string{"Idempotency-Key": key}
	var payment Payment
	err := s.Call(ctx, http.MethodPost, "/transfer-out", headers, body, &payment)
	var broken *url.Error
	if errors.As(err, &broken) && ctx.Err() == nil {
		// The money may have left or not. Because of the key, it is safe to send the request again.
		err = s.Call(ctx, http.MethodPost, "/transfer-out", headers, body, &payment)
	}
	return payment, err
}

// Payment returns the current state of a payment.
func (s *Service) Payment(ctx context.Context, transactionID string) (Payment, error) {
	var payment Payment
	err := s.Call(ctx, http.MethodGet, "/transactions/"+transactionID, nil, nil, &payment)
	return payment, err
}

// Call sends body as JSON, if it isn't nil, and reads the answer into result, if that isn't nil. The error is a
// *RefusedError if the service refused, and a *url.Error if the connection broke.
func (s *Service) Call(ctx context.Context, method, path string, headers map[string]string, body, result any) error {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, s.BaseURL+path, content)
	if err != nil {
		return err
	}
	request.SetBasicAuth(s.ClientID, s.ClientSecret)
	request.Header.Set("Content-Type", "application/json")
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= http.StatusBadRequest {
		return &RefusedError{response.StatusCode, string(text)}
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(text, result)
}
