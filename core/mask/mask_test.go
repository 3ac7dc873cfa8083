package mask

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var env = []string{
	"ANTHROPIC_API_KEY=sk+weird/value=17&x", "MODEL_KEY=mock", "DB_PASSWORD=correct horse", "AUTH_PROVIDER=anthropic", "PWD=/srv/place",
	"SERVICE_TOKEN=abcdefgh", "TOKEN_LIMIT=100000000", "SSH_AUTH_SOCK=/tmp/agent.123", "PATH=/usr/bin", "GOOGLE_APPLICATION_CREDENTIALS=/home/bob/key.json",
	"TOKEN_OF_X=Zq81mvPk20xLw9RtYb", "QUOTED_SECRET=a\"b\\c<d>ef", "MY_SECRET=REDACTED", "API_KEY_2=second-key-value",
	"KEY_PEM_SECRET=first line of the secret\nsecond line of the secret\n",
}

var (
	digits = "0123456789abcdefABCDEF0123456789abcdef01"
	body64 = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n" + "VJTUt9Us8cKjMzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNb\n"
)

// shown are texts with a secret between « and », or with none.
var shown = []string{
	// tokens by their shape
	"key «AKIA" + "IOSFODNN7EXAMPLE» here", "«ghp_" + digits[:36] + "»", "see «github_pat_" + digits + "_x9».", "«glpat-" + digits[:20] + "»",
	"«sk-ant-" + "api03-" + digits + "-AA»", "«sk-proj-" + digits + "»", "«sk-" + digits + "»", "(«xoxb-" + "123456789012-" + digits[:24] + "»)",
	"«AIza" + "SyA-1234567890abcdefghijklmnopqrstu»", "«npm_" + digits[:36] + "»", "«sk_live_" + digits[:24] + "»", "«hf_" + digits[:34] + "»",
	"«whsec_" + digits[:32] + "»", "«pypi-" + digits + "»", "«SG." + digits[:22] + "." + digits + "»", "«ya29." + digits + "»", "«glsa_" + digits[:32] + "»",
	"«eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U»",
	"https://hooks.slack.com/services/«T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX»",
	"«-----BEGIN RSA " + "PRIVATE KEY-----\n" + body64 + "-----END RSA " + "PRIVATE KEY-----»\nafter",
	"«-----BEGIN " + "PRIVATE KEY-----\n" + strings.TrimSpace(body64) + "»", // cut off
	`{"key":"«-----BEGIN ` + `PRIVATE KEY-----\nabc\n-----END ` + `PRIVATE KEY-----»\n"}`,
	"-----BEGIN CERTIFICATE-----\n" + body64 + "-----END CERTIFICATE-----\n", "-----BEGIN PUBLIC KEY-----\n" + body64 + "-----END PUBLIC KEY-----\n",
	"task-" + digits + " is no key", "risk-assessment-of-the-whole-thing", "sk-learn-has-many-pages-of-text", "AKIAshort", "ghp_short", "eyJ.eyJ.x", "monkeyJungle",
	// addresses
	"postgres://u:«pass»@db/x", "https://bob:«hunter2»@example.com/a?b", "redis://:«p4ss:word»@h:6379", "https://«a1b2c3d4e5f6a7b8c9d0e1f2»@github.com/x",
	"http://jane:«p@ssword»@google.com", "http://user:xxxxx@host/", "http://user:***@host/", `encodeUserPassword: "encodeUserPassword"`, "hashPassword:120-135", "pass IPv4-mapped addresses on",
	"http://host:8080/a@b", "http://host:8080", "git://user@host/x", "https://u:$PASS@host/", "https://u:${PASS}@host/", "https://u:" + Mark + "@host/", "mailto:a@b.c",
	// headers
	"Authorization: Bearer «abc123def456ghi»", "authorization: token «abc123def»", `"Authorization": "Basic «dXNlcjpwYXNzd29yZDE=»"`, "curl -H 'Authorization: Bearer «abc123def456ghi»'",
	"Bearer «abc.def-123_456~x+y/z=»", "the bearer of this message", "Authorization: required", "bearer authentication-required", "x-api-key: «a1b2c3d4e5f6»",
	// assignments
	"password=«hunter2»", "DB_PASS=«hunter2»", "export DB_PASS=«hunter2»", "pwd: «hunter22»", `password: "«hunter2»"`, `{"password":"«hunter2»"}`, `{"a":"{\"password\":\"«hunter2»\"}"}`,
	"api_key=«abcdefghijklmnopqrstuvwxyz»", "apiKey: '«a1b2c3d4e5f6»'", `"clientSecret": "«Zx81kq02mvbn»"`, "https://x.example/?token=«abcdef123456»&a=1", "with password «correcthorsebattery»",
	"AWS_SECRET_ACCESS_KEY=«wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY»", "//registry.npmjs.org/:_authToken=«a1b2c3d4e5f6a7b8»", "MYSQL_PWD=«hunter2»", "passwd := \"«hunter2»\"",
	"secret_token => '«a1b2c3d4e5»'", "OPENAI_KEY=«a1b2c3d4e5f6a7b8c9d0e1f2»", "?X-Amz-Signature=«a1b2c3d4e5f6a7b8c9d0»&x=1", "the password hunter42 was", "params[password]=«hunter2»",
	// no secrets
	"author=Jane Doe 1234567890", "author: jane12345678", "authors=12345678ab", "max_tokens=4096", `"tokens": 123456789`, "total_tokens: 1234567890", "compass=northwest12", "monkey=a1b2c3d4e5f6a7b8c9d0e1f2",
	"tokenizer=abcdef123456", "secretary: abcdef123456", "password = os.Getenv(\"DB_PASSWORD\")", "password=getpass.getpass()", "password: string;", "apiKey: process.env.OPENAI_API_KEY,", "token := parser.Next()",
	"token = next_token", "password=password", "connect(password=user_password)", "password=$PASS", "password=${PASS}", "password=<password>", "password=********", "secret: null", "token=None", "if token == abcdef123456 {",
	"the password is wrong", "password authentication failed", "pass 12345678", "bypass=12345678ab", "keyboard=a1b2c3d4e5f6a7b8c9d0e1f2", "primary key: name", "key: value", "pass: true", "PASS: TestSomething", "--- PASS: TestAttacks (0.02s)",
	"func token(s string) token", "type: secret", "mock-model and mock", "anthropic is a firm", "100000000 tokens", "/srv/place/x", "/usr/bin/env", "REDACTED is a word", "password=" + Mark, "token: " + Mark,
	// known values
	"«sk+weird/value=17&x»", "x«sk+weird/value=17&x»x", "«correct horse»!", "«Zq81mvPk20xLw9RtYb»", "token «abcdefgh» alone", "abcdefghi and xabcdefgh are others", "«second-key-value»",
	"«" + url.QueryEscape("sk+weird/value=17&x") + "»", "«first line of the secret»\n  «second line of the secret»\n", "«first line of the secret»\n«second line of the secret»",
	`"«a\"b\\c<d>ef»"`, `"«a\"b\\c\u003cd\u003eef»"`, "correct horse racing is «correct horse»"[:0] + "«correct horse»s",
	// the home
	"/srv/home/bob", "/home/bobby", "/home/bob-2/x", "/home/bob.old", "x/home/bob", "./home/bob",
}

func TestText(t *testing.T) {
	m := New(env, "/home/bob/")
	for _, c := range shown {
		in := strings.NewReplacer("«", "", "»", "").Replace(c)
		want := c
		for strings.Contains(want, "«") {
			before, rest, _ := strings.Cut(want, "«")
			_, after, _ := strings.Cut(rest, "»")
			want = before + Mark + after
		}
		if c == "the password hunter42 was" {
			want = "the password " + Mark + " was"
		}
		if got := m.Text(in); got != want {
			t.Errorf("%q\n got %q\nwant %q", in, got, want)
		}
	}
}

func TestHome(t *testing.T) {
	m := New(nil, "/home/bob")
	for in, want := range map[string]string{
		"/home/bob": "~", "/home/bob/x": "~/x", "in /home/bob.": "in ~.", "(/home/bob)": "(~)", "file:///home/bob/x": "file://~/x", "A=/home/bob:/home/bob/b": "A=~:~/b",
		"/home/bob/home/bob": "~/home/bob", "\"/home/bob\"": "\"~\"",
	} {
		if got := m.Text(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	for _, home := range []string{"", "/", "//", "/r"} {
		if got := New(nil, home).Text("a / b /r /x"); got != "a / b /r /x" {
			t.Errorf("home %q: %q", home, got)
		}
	}
	if got := New(nil, "/srv/me").Text("/srv/me/x"); got != "~/x" {
		t.Error(got)
	}
}

// TestBase64 finds a known secret in base64, whatever is encoded with it.
func TestBase64(t *testing.T) {
	secret := "sk+weird/value=17&x"
	m := New([]string{"A_KEY=" + secret}, "")
	for _, before := range []string{"", "u", "u:", "me:", "user:"} {
		for _, after := range []string{"", "\n", ":x", "abc"} {
			for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawURLEncoding} {
				text := enc.EncodeToString([]byte(before + secret + after))
				got := m.Text("data " + text + " end")
				if !strings.Contains(got, Mark) {
					t.Errorf("%q: %q", text, got)
				}
			}
		}
	}
}

// TestCases runs the cases of other systems.
func TestCases(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/cases/executor-*.json")
	if len(files) == 0 {
		t.Skip("NOT TESTED: the cases are not here")
	}
	m, ran := New(nil, ""), 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var file struct {
			Cases []struct {
				ID    string
				Given struct {
					Text    string
					Pattern string `json:"text_pattern"`
				}
				When   struct{ Op string }
				Expect struct {
					Unchanged bool
					MaxMS     int             `json:"max_ms"`
					Frames    int             `json:"frames_kept_at_most"`
					Text      json.RawMessage // {contains, not_contains}
				}
			}
		}
		if err := json.Unmarshal(text, &file); err != nil {
			t.Fatal(err)
		}
		for _, c := range file.Cases {
			if c.When.Op != "sanitize_text" || c.Expect.Frames > 0 {
				continue // stack frames are not this package's
			}
			ran++
			in := c.Given.Text
			if c.Given.Pattern != "" {
				in = "-----BEGIN" + strings.Repeat(" ", 50_000) + "A"
			}
			began := time.Now()
			got := m.Text(in)
			if c.Expect.MaxMS > 0 && time.Since(began) > time.Duration(c.Expect.MaxMS)*time.Millisecond {
				t.Errorf("%s: %v", c.ID, time.Since(began))
			}
			if c.Expect.Unchanged && got != in {
				t.Errorf("%s: changed", c.ID)
			}
			var want struct {
				Contains    []string
				NotContains []string `json:"not_contains"`
			}
			if len(c.Expect.Text) > 0 {
				if err := json.Unmarshal(c.Expect.Text, &want); err != nil {
					t.Fatal(err)
				}
			}
			for _, w := range want.Contains {
				if !strings.Contains(got, w) {
					t.Errorf("%s: %q has no %q", c.ID, got, w)
				}
			}
			for _, w := range want.NotContains {
				if strings.Contains(got, w) {
					t.Errorf("%s: %q", c.ID, got)
				}
			}
		}
	}
	if ran < 5 {
		t.Errorf("only %d cases", ran)
	}
}

// streamed is in through a Writer, in pieces cut at the given places.
func streamed(t testing.TB, m *Masker, in string, cuts ...int) string {
	t.Helper()
	var out strings.Builder
	w := m.NewWriter(&out)
	slices.Sort(cuts)
	at := 0
	for _, c := range append(cuts, len(in)) {
		if n, err := w.Write([]byte(in[at:c])); err != nil || n != c-at {
			t.Fatal(n, err)
		}
		at = c
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestStreamCutAnywhere(t *testing.T) {
	m := New(env, "/home/bob")
	for _, c := range shown {
		in := strings.NewReplacer("«", "", "»", "").Replace(c)
		want := m.Text(in)
		for cut := range len(in) + 1 {
			if got := streamed(t, m, in, cut); got != want {
				t.Fatalf("%q cut at %d: %q, want %q", in, cut, got, want)
			}
		}
		all := make([]int, len(in))
		for i := range all {
			all[i] = i
		}
		if got := streamed(t, m, in, all...); got != want {
			t.Fatalf("%q byte by byte: %q, want %q", in, got, want)
		}
	}
}

// TestStreamIsPrompt sees that ordinary output is not kept back.
func TestStreamIsPrompt(t *testing.T) {
	var out strings.Builder
	w := New(env, "/home/bob").NewWriter(&out)
	for _, line := range []string{"one line\n", "ok  \tdrover/core\t0.1s\n", "password: ********\n"} {
		if _, err := w.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.HasSuffix(out.String(), "********\n") {
		t.Errorf("kept back: %q", out.String())
	}
}

type broken struct{ n int }

func (b *broken) Write(p []byte) (int, error) {
	b.n++
	return 0, os.ErrClosed
}

func TestStreamFails(t *testing.T) {
	b := &broken{}
	w := New(nil, "").NewWriter(b)
	for range 3 {
		if _, err := w.Write([]byte("text\n")); err == nil {
			t.Fatal("no error")
		}
	}
	if w.Close() == nil || b.n != 1 {
		t.Errorf("written %d times", b.n)
	}
}

// hostile are texts made to take long.
var hostile = map[string]string{
	"begin": "-----BEGIN ", "private": "-----BEGIN PRIVATE KEY-----", "key": "key:", "pass": "pass=", "password": "password ", "sk": "sk-.", "jwt": "eyJ-", "jwt2": "eyJabcdefghi.",
	"url": "://a:", "auth": "authorization=", "bearer": "bearer ", "ghp": "ghp_-", "token": "token=\"", "home": "/home/bob-", "zeros": "\x00", "sig": "sig:::", "quote": `\"token\":\"`, "known": "sk+weird/",
}

// BenchmarkHostile shows that a megabyte of the worst takes about a second.
func BenchmarkHostile(b *testing.B) {
	m := New(env, "/home/bob")
	for name, piece := range hostile {
		b.Run(name, func(b *testing.B) {
			in := strings.Repeat(piece, 1<<20/len(piece))
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				_ = m.Text(in)
			}
		})
	}
}

func FuzzMask(f *testing.F) {
	for _, c := range shown {
		f.Add(strings.NewReplacer("«", "", "»", "").Replace(c), uint64(1))
	}
	for _, h := range hostile {
		f.Add(strings.Repeat(h, 20), uint64(2))
	}
	m := New(env, "/home/bob")
	f.Fuzz(func(t *testing.T, in string, seed uint64) {
		got := m.Text(in)
		if len(got) > 4*len(in)+len(Mark) {
			t.Errorf("%d bytes have become %d", len(in), len(got))
		}
		for _, known := range []string{"sk+weird/value=17&x", "second-key-value", "Zq81mvPk20xLw9RtYb", "first line of the secret"} {
			if strings.Contains(got, known) {
				t.Errorf("%q got through: %q", known, got)
			}
		}
		if again := m.Text(got); again != got {
			t.Errorf("twice is not once: %q\n%q\n%q", in, got, again)
		}
		r := rand.New(rand.NewPCG(seed, 1))
		var cuts []int
		for range r.IntN(6) {
			cuts = append(cuts, r.IntN(len(in)+1))
		}
		if s := streamed(t, m, in, cuts...); s != got {
			t.Errorf("cut at %v: %q\n%q\n%q", cuts, in, s, got)
		}
		if json.Valid([]byte(in)) && !json.Valid([]byte(got)) {
			t.Errorf("no JSON any more: %q %q", in, got)
		}
	})
}

func benchText() string {
	var b strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&b, "func (s *server) handle%d(ctx context.Context, token string) error { return s.store.Put(ctx, key, value) } // the author of this package\n", i)
		fmt.Fprintf(&b, "2026-11-21T03:49:%02d INFO request done path=/api/v1/items/%d status=200 took=12ms user=bob\n", i%60, i)
	}
	return b.String()
}

func BenchmarkText(b *testing.B) {
	text := benchText()
	m := New(env, "/home/bob")
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		_ = m.Text(text)
	}
}

func BenchmarkWriter(b *testing.B) {
	text := []byte(benchText())
	m := New(env, "/home/bob")
	b.SetBytes(int64(len(text)))
	var sink strings.Builder
	for b.Loop() {
		sink.Reset()
		w := m.NewWriter(&sink)
		for i := 0; i < len(text); i += 32 << 10 {
			_, _ = w.Write(text[i:min(i+32<<10, len(text))])
		}
		_ = w.Close()
	}
}

// BenchmarkFloor copies the text.
func BenchmarkFloor(b *testing.B) {
	text := []byte(benchText())
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		_ = slices.Clone(text)
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		_ = New(env, "/home/bob")
	}
}
