package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"drover/core"
)

func netCall(t *testing.T, e core.ToolEnv, o NetOptions, name, args string) core.ToolResult {
	t.Helper()
	tool, ok := NewBox(Network(o)...).Get(name)
	if !ok {
		t.Fatalf("no tool %s", name)
	}
	r, err := tool.Run(t.Context(), e, json.RawMessage(args))
	if err != nil {
		t.Fatalf("%s %s: %v", name, args, err)
	}
	if !utf8.ValidString(r.Text) || r.Text != core.Clean(r.Text) || len(r.Text) > 80<<10 {
		t.Errorf("%s: bad text %q", name, r.Text[:min(len(r.Text), 200)])
	}
	return r
}

// site is a server with something of everything.
func site(t *testing.T) *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<!doctype html><title>T</title><script>evil()</script><h1>Head &amp; tail</h1><p>one <a href='/two?x=1&amp;y=2'>two</a> three\x1b[31m</p><pre>a\n  b</pre><ul><li>x<li>y</ul>")
	})
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(w, "%s %s %s [%s] %s", r.Method, r.Header.Get("Content-Type"), r.Header.Get("X-Mine"), b, r.UserAgent())
	})
	mux.HandleFunc("/gone", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no more", http.StatusGone) })
	mux.HandleFunc("/big", func(w http.ResponseWriter, _ *http.Request) {
		for range 100 {
			_, _ = io.WriteString(w, strings.Repeat("0123456789abcdef\n", 1000))
		}
	})
	mux.HandleFunc("/huge", func(w http.ResponseWriter, r *http.Request) {
		for block := []byte(strings.Repeat("x", 1<<20)); r.Context().Err() == nil; {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	})
	mux.HandleFunc("/bytes", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte{0, 1, 2, 0xff}) })
	mux.HandleFunc("/same", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/echo", http.StatusFound) })
	mux.HandleFunc("/loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop", http.StatusFound) })
	mux.HandleFunc("/to", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Query().Get("u"), http.StatusFound)
	})
	mux.HandleFunc("/slow", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func TestHTTP(t *testing.T) {
	s := site(t)
	e := env(t.TempDir())
	e.Scratch, e.CallID = t.TempDir(), "c1"
	for _, c := range []struct {
		tool, args, want string
		failed           bool
	}{
		{"http_get", `{"url":"` + s.URL + `/page"}`, "# Head & tail\n\none [two](" + s.URL + "/two?x=1&y=2) three", false},
		{"http_get", `{"url":"` + s.URL + `/page","raw":true}`, "<script>evil()", false},
		{"http_get", `{"url":"` + s.URL + `/echo","headers":{"X-Mine":"m"}}`, "GET  m [] drover", false},
		{"http_get", `{"url":"` + s.URL + `/same"}`, "200 OK " + s.URL + "/echo", false},
		{"http_get", `{"url":"` + s.URL + `/gone"}`, "410 Gone", true},
		{"http_get", `{"url":"` + s.URL + `/bytes"}`, "no text: 4 B, in ", false},
		{"http_get", `{"url":"` + s.URL + `/loop"}`, "more than 5 redirects", true},
		{"http_get", `{"url":"` + s.URL + `/to?u=https://other.test/x"}`, "redirects to another host: https://other.test/x", true},
		{"http_get", `{"url":"` + s.URL + `/to?u=file:///etc/passwd"}`, "redirects to another host: file:///etc/passwd", true},
		{"http_get", `{"url":"` + s.URL + `/to?u=http://169.254.169.254/latest"}`, "redirects to another host", true},
		{"http_get", `{"url":"` + s.URL + `/slow","timeout_seconds":1}`, "within 1s", true},
		{"http_post", `{"url":"` + s.URL + `/echo","body":"{}"}`, "POST application/json  [{}] drover", false},
		{"http_request", `{"method":"DELETE","url":"` + s.URL + `/echo"}`, "DELETE   [] drover", false},
		{"http_request", `{"method":"TRACE","url":"` + s.URL + `"}`, "method must be one of", true},
		{"http_get", `{"url":"` + s.URL + `/echo","headers":{"Host":"evil"}}`, "drover's own to set", true},
		{"http_get", `{"url":"` + s.URL + `/echo","headers":{"A":"b\r\nC: d"}}`, "one line", true},
		{"http_get", `{"url":"` + s.URL + `/echo","headers":{"A":1}}`, "headers.A must be a string", true},
	} {
		r := netCall(t, e, NetOptions{}, c.tool, c.args)
		if r.Failed != c.failed || !strings.Contains(r.Text, c.want) || c.want != "<script>evil()" && strings.Contains(r.Text, "evil()") {
			t.Errorf("%s %s\n got (failed %v) %q\nwant (failed %v) %q", c.tool, c.args, r.Failed, r.Text, c.failed, c.want)
		}
	}
	big := netCall(t, e, NetOptions{}, "http_get", `{"url":"`+s.URL+`/big"}`)
	if b, err := os.ReadFile(big.Full); err != nil || len(b) != 1_700_000 || !strings.Contains(big.Text, "cut here") {
		t.Errorf("%d %v %q", len(b), err, big.Text[:200])
	}
	if r := netCall(t, e, NetOptions{}, "http_get", `{"url":"`+s.URL+`/huge"}`); !strings.Contains(r.Text, "the rest was not read") {
		t.Errorf("%q", r.Text[:300])
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	tool, _ := NewBox(Network(NetOptions{})...).Get("http_get")
	if _, err := tool.Run(ended, e, json.RawMessage(`{"url":"`+s.URL+`/slow"}`)); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}

// TestHTTPReachesNothingInside attacks with every way to write an address that
// leads inside without looking like it.
func TestHTTPReachesNothingInside(t *testing.T) {
	var hits atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits.Add(1) }))
	defer s.Close()
	u, err := url.Parse(s.URL)
	must(t, err)
	for _, host := range []string{
		"169.254.169.254", "[fe80::1]", "[::ffff:169.254.169.254]", "[64:ff9b::a9fe:a9fe]", "[fd00:ec2::254]", "100.100.100.200", "0.0.0.0", "[::]",
		"255.255.255.255", "224.0.0.1", "2130706433:" + u.Port(), "0x7f000001:" + u.Port(), "127.1:" + u.Port(), "good.test@127.0.0.1:" + u.Port(),
		"l\u043ecalhost:" + u.Port(), "127.0.0.1%2f.test:" + u.Port(),
	} {
		args, err := json.Marshal(map[string]any{"url": "http://" + host + "/", "timeout_seconds": 1})
		must(t, err)
		if r := netCall(t, env(t.TempDir()), NetOptions{}, "http_get", string(args)); !r.Failed {
			t.Errorf("%s: %q", host, r.Text)
		}
	}
	for _, text := range []string{"file:///etc/passwd", "ftp://a/b", "gopher://a", "//a/b", "a", "http://", "http:///x", "javascript:1", "http://a\nb/", "http://[::1", "http://a b/"} {
		args, err := json.Marshal(map[string]string{"url": text})
		must(t, err)
		if r := netCall(t, env(t.TempDir()), NetOptions{}, "http_get", string(args)); !r.Failed {
			t.Errorf("%s: %q", text, r.Text)
		}
	}
	if hits.Load() != 0 {
		t.Error("something reached the server")
	}
	// What a name leads to is seen at the connection, whatever it led to before.
	for at, reached := range map[string][2]bool{ // by a name, by an address or a name that the person gave
		"93.184.216.34:80": {true, true}, "127.0.0.1:80": {false, true}, "10.1.2.3:80": {false, true}, "[::1]:80": {false, true}, "[fd12::1]:80": {false, true},
		"100.64.0.1:80": {false, true}, "[::ffff:10.0.0.1]:80": {false, true}, "[2002:7f00:1::]:80": {false, true},
		"169.254.169.254:80": {false, false}, "[fe80::1%eth0]:80": {false, false},
	} {
		for i, inner := range []bool{false, true} {
			if err := control(inner)("tcp", at, nil); (err == nil) != reached[i] {
				t.Errorf("%s, inner %v: %v", at, inner, err)
			}
		}
	}
	for host, want := range map[string]bool{"localhost": true, "a.localhost": true, "127.0.0.1": true, "::1": true, "wiki.corp.test": true, "corp.test.evil.org": false, "good.test": false} {
		if got := mayBeInner(host, []string{"*.corp.test"}); got != want {
			t.Errorf("%s: %v", host, got)
		}
	}
}

func TestHostRules(t *testing.T) {
	box := NewBox(Network(NetOptions{})...)
	for _, c := range []struct {
		tool, args, exact, rule string
		allow, deny             []string // other subjects under the rule
	}{
		{"http_get", `{"url":"https://Docs.Example.org./a?b"}`, "docs.example.org", "http_get(docs.example.org)", nil, []string{"example.org", "docs.example.org.evil.net", "docs.example.org:8080"}},
		{"http_get", `{"url":"http://localhost:8080/x"}`, "localhost:8080", "http_get(localhost:8080)", nil, []string{"localhost", "localhost:8081"}},
		{"http_get", `{"url":"http://[::1]:8080/x"}`, "[::1]:8080", "http_get([::1]:8080)", nil, []string{"[::1]"}},
		{"http_get", `{"url":"http://u:p@a.test/"}`, "", "", nil, []string{"a.test", ""}},
		{"http_request", `{"method":"PUT","url":"https://a.test/"}`, "PUT a.test", "http_request(PUT a.test)", nil, []string{"DELETE a.test", "GET a.test"}},
	} {
		tool, _ := box.Get(c.tool)
		if tool.Spec().Effect != core.Reaches {
			t.Errorf("%s is not asked about", c.tool)
		}
		exact := Exact(tool, json.RawMessage(c.args), t.TempDir())
		rule := RuleFor(c.tool, exact)
		if exact != c.exact || rule != c.rule || rule != "" && !Allowed([]string{rule}, c.tool, exact) {
			t.Errorf("%s: exact %q, rule %q", c.args, exact, rule)
		}
		for _, other := range c.deny {
			if Allowed([]string{rule}, c.tool, other) {
				t.Errorf("%s allows %q", rule, other)
			}
		}
	}
	for rule, want := range map[string]bool{"http_get(*.test)": true, "WebFetch(domain:a.test)": true, "http_get": true, "http_post(a.test)": false, "http_get(*.org)": false} {
		if got := Allowed([]string{rule}, "http_get", "a.test"); got != want {
			t.Errorf("%s: %v", rule, got)
		}
	}
	if spec, _ := box.Get("web_search"); spec.Spec().Effect != core.Reads {
		t.Error("a search is asked about")
	}
}

func TestWebSearch(t *testing.T) {
	var got *http.Request
	var body, kind string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		if r.URL.Query().Get("q") == "down" {
			http.Error(w, "sorry\x1b[2J", http.StatusBadGateway)
			return
		}
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, body)
	}))
	defer s.Close()
	key := func(name string) func(string) string {
		return func(n string) string { return map[string]string{name: "k-123"}[n] }
	}
	o := NetOptions{SearchURL: s.URL + "/s?format=json&q={query}"}
	for _, c := range []struct {
		o          NetOptions
		args       string
		kind, body string
		want       string
		failed     bool
	}{
		{NetOptions{}, `{"query":"x"}`, "", "", "BRAVE_API_KEY or TAVILY_API_KEY", true},
		{o, `{"query":"a b&c","count":1}`, "application/json", `{"results":[{"title":"T <b>1</b>","url":"https://a.test","content":"c\u001b[0m &amp; d"},{"title":"two"}]}`, "1. T 1\n   https://a.test\n   c & d\n", false},
		{o, `{"query":"x"}`, "application/json", `{"results":[]}`, "nothing was found", false},
		{o, `{"query":"x"}`, "text/html", `<html><p>hit <a href="/u">one</a>`, "hit [one](" + s.URL + "/u)", false},
		{o, `{"query":"x"}`, "text/markdown", "# results", "# results", false},
		{o, `{"query":"down"}`, "", "", "502 Bad Gateway: sorry", true},
		{NetOptions{Getenv: key("BRAVE_API_KEY")}, `{"query":"x"}`, "application/json", `{"web":{"results":[{"title":"B","url":"u","description":"d"}]}}`, "1. B\n   u\n   d\n", false},
		{NetOptions{Getenv: key("TAVILY_API_KEY")}, `{"query":"x"}`, "application/json", `{"results":[{"title":"V","url":"u","content":"d"}]}`, "1. V\n", false},
	} {
		kind, body = c.kind, c.body
		if c.o.Getenv == nil {
			c.o.Getenv = key("")
		}
		tool := webSearch{define("web_search", core.Reads), c.o, s.URL + "/brave", s.URL + "/tavily"}
		r, err := tool.Run(t.Context(), env(t.TempDir()), json.RawMessage(c.args))
		if err != nil || r.Failed != c.failed || !strings.Contains(r.Text, c.want) || strings.Contains(r.Text, "k-123") || strings.Contains(r.Text, "\x1b") {
			t.Errorf("%s: %+v %v", c.args, r, err)
		}
	}
	if got.URL.Path != "/tavily" || got.Method != http.MethodPost || got.Header.Get("Authorization") != "Bearer k-123" {
		t.Errorf("%s %s %v", got.Method, got.URL, got.Header)
	}
}

func FuzzHTML(f *testing.F) {
	for _, s := range []string{"<p>a<b>b", "<a href=x>y", "<script>", "<!--", "<a href='\"", "<<<>>>", "&#0;&#xd800;", "<svg></svgx>", "<a href>", "< a", "</", "<img alt=\xff>"} {
		f.Add(s)
	}
	base := &url.URL{Scheme: "https", Host: "a.test"}
	f.Fuzz(func(t *testing.T, s string) {
		out := htmlText(s, base)
		if strings.Contains(strings.ToLower(s), "<script") && strings.Contains(out, "(javascript:") {
			t.Errorf("%q", out)
		}
		if len(out) > 20*len(s)+100 {
			t.Errorf("%d bytes of %d", len(out), len(s))
		}
	})
}

func TestSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		waits, resumed := 0, 0
		e := env("/")
		e.Waiting = func(a core.Activity, detail string) (func() error, error) {
			waits++
			if a != core.ActTool || !strings.HasPrefix(detail, "asleep until ") {
				t.Errorf("%s %q", a, detail)
			}
			return func() error { resumed++; return nil }, nil
		}
		began := time.Now()
		table(t, e, "sleep", []row{
			{`{"seconds":90.5}`, "slept 1m30.5s", false},
			{`{"seconds":601}`, "…at most 600", true},
			{`{"seconds":-1}`, "…at least 0", true},
		})
		if took := time.Since(began); took != 90500*time.Millisecond || waits != 1 || resumed != 1 {
			t.Errorf("%v, %d waits, %d resumed", took, waits, resumed)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		tool, _ := NewBox(Builtin()...).Get("sleep")
		if _, err := tool.Run(ctx, e, json.RawMessage(`{"seconds":60}`)); !errors.Is(err, context.DeadlineExceeded) || resumed != 1 {
			t.Errorf("%v", err)
		}
	})
}
