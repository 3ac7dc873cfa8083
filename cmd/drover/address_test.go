package main

import (
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// A server is found by its base URL alone: without a key, over TLS with a
// certificate of the person's own, and through the proxy of the environment.
func TestServersByAddress(t *testing.T) {
	answer := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/chat/completions" {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, says("from the server"))
	}
	plain := httptest.NewServer(http.HandlerFunc(answer))
	defer plain.Close()
	secure := httptest.NewTLSServer(http.HandlerFunc(answer))
	defer secure.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	var proxied atomic.Int64
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Host == "model.test" {
			proxied.Add(1)
			answer(w, r)
		}
	}))
	defer proxy.Close()
	for name, env := range map[string][]string{
		"plain":          {"OPENAI_BASE_URL=" + plain.URL},
		"with a version": {"OPENAI_BASE_URL=" + plain.URL + "/v1/"},
		"without scheme": {"OPENAI_BASE_URL=" + strings.TrimPrefix(plain.URL, "http://")},
		"TLS":            {"OPENAI_BASE_URL=" + secure.URL + "/v1", "SSL_CERT_FILE=" + ca},
		"proxy":          {"OPENAI_BASE_URL=http://model.test/v1", "http_proxy=" + proxy.URL},
	} {
		out, fault, code := newPerson(t, env...).runs("run", "--model", "openai/any", "hi")
		if code != 0 || out != "from the server\n" {
			t.Errorf("%s: exit code %d, %q, %s", name, code, out, fault)
		}
	}
	if proxied.Load() == 0 {
		t.Error("the proxy was not asked")
	}
	out, fault, code := newPerson(t, "OPENAI_BASE_URL="+secure.URL).runs("run", "--model", "openai/any", "hi")
	if code != 1 || !strings.Contains(fault, "SSL_CERT_FILE") {
		t.Errorf("a certificate that is not trusted: exit code %d, %q, %s", code, out, fault)
	}
}
