package payouts_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	payouts "example.com/payouts"
)

const recordings = "recordings"

// baseURL is the address of the sandbox: from COUNTERSIGN_URL, or of the one that TestMain starts.
var baseURL = os.Getenv("COUNTERSIGN_URL")

// TestMain runs the tests against one sandbox, and then compares all recorded traffic with the contract.
func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if err := os.RemoveAll(recordings); err != nil {
		return fail(err)
	}
	if err := os.Mkdir(recordings, 0o755); err != nil {
		return fail(err)
	}
	if baseURL == "" {
		stop, err := start()
		if err != nil {
			return fail(err)
		}
		defer stop()
	}
	code := m.Run()
	files, err := filepath.Glob(filepath.Join(recordings, "*.har"))
	if err != nil || len(files) == 0 {
		return code
	}
	check := countersign(append([]string{"check"}, files...)...)
	check.Stdout = os.Stdout
	if err := check.Run(); err != nil && code == 0 {
		return fail(fmt.Errorf("countersign check: %w", err))
	}
	return code
}

func fail(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// start starts a sandbox with its state in memory, and sets baseURL.
func start() (stop func(), err error) {
	command := countersign("start", "--port", "0", "--data", ":memory:", "--log", "off")
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("npx is missing: install Node.js 24: %w", err)
	}
	ready := regexp.MustCompile(`ready at (http\S+)`)
	for lines := bufio.NewScanner(output); lines.Scan(); {
		if found := ready.FindStringSubmatch(lines.Text()); found != nil {
			baseURL = found[1]
			return func() { _ = command.Process.Signal(syscall.SIGTERM); _ = command.Wait() }, nil
		}
	}
	return nil, errors.New("the sandbox did not start; its own words are above")
}

func countersign(args ...string) *exec.Cmd {
	command := exec.Command("npx", append([]string{"countersign"}, args...)...)
	command.Stderr = os.Stderr
	return command
}

// platform has its own credentials, data and clock.
type platform struct {
	payouts.Service
	control payouts.Service
}

// newPlatform makes a platform with two customers, and deletes it after the test. A shared sandbox needs the
// CONTROL_TOKEN that it was started with.
func newPlatform(t *testing.T) *platform {
	t.Helper()
	address, err := url.Parse(baseURL)
	must(t, err)
	controlURL := address.ResolveReference(&url.URL{Path: "/__sandbox"}).String()
	request, err := http.NewRequest(http.MethodPost, controlURL+"/platforms", strings.NewReader(`{"world":"ready-made"}`))
	must(t, err)
	request.Header.Set("Content-Type", "application/json")
	if token := os.Getenv("CONTROL_TOKEN"); token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	must(t, err)
	defer response.Body.Close()
	if response.StatusCode != http.StatusCreated {
		t.Fatalf("the sandbox makes no platform: %s", response.Status)
	}
	var made struct{ ClientID, ClientSecret string }
	must(t, json.NewDecoder(response.Body).Decode(&made))
	p := &platform{
		Service: payouts.Service{BaseURL: baseURL, ClientID: made.ClientID, ClientSecret: made.ClientSecret},
		control: payouts.Service{BaseURL: controlURL, ClientID: made.ClientID, ClientSecret: made.ClientSecret},
	}
	t.Cleanup(func() {
		var journal json.RawMessage
		must(t, p.control.Call(context.Background(), http.MethodGet, "/journal?format=har", nil, nil, &journal))
		must(t, os.WriteFile(filepath.Join(recordings, t.Name()+".har"), journal, 0o644))
		must(t, p.control.Call(context.Background(), http.MethodDelete, "/platform", nil, nil, nil))
	})
	return p
}

// advance moves the clock forward. Everything that is due by then has happened.
func (p *platform) advance(t *testing.T, duration time.Duration) {
	t.Helper()
	body := map[string]any{"advanceSeconds": int(duration.Seconds())}
	must(t, p.control.Call(context.Background(), http.MethodPost, "/clock", nil, body, nil))
}

// breakConnectionAfter breaks the connection of the next call, after the operation was carried out.
func (p *platform) breakConnectionAfter(t *testing.T, operation string) {
	t.Helper()
	rule := map[string]any{"operation": operation, "times": 1, "drop": "after"}
	body := map[string]any{"rules": []any{rule}}
	must(t, p.control.Call(context.Background(), http.MethodPut, "/faults", nil, body, nil))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
