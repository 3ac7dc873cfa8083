package tool

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"drover/core"
)

const (
	httpTimeout = 30 * time.Second // unless told otherwise
	httpBody    = 20 << 20         // of an answer, unpacked
	httpHops    = 5
	headersMax  = 50
)

// NetOptions says what the network tools may use.
type NetOptions struct {
	// SearchURL is the person's search service: an address with {query} in it
	// that answers with JSON, HTML or Markdown; "" asks Getenv for a key.
	SearchURL string
	Getenv    func(string) string // nil: no keys
	// Private are host names that may lead to private addresses; * stands for any part.
	Private []string
}

// Network makes the tools that talk to servers elsewhere.
func Network(o NetOptions) []core.Tool {
	if o.Getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	get := define("http_get", core.Reaches)
	get.spec.Again = true // it changes nothing there
	return []core.Tool{
		httpTool{get, o}, httpTool{define("http_post", core.Reaches), o}, httpTool{define("http_request", core.Reaches), o},
		webSearch{define("web_search", core.Reads), o, braveURL, tavilyURL},
	}
}

type httpTool struct {
	def
	o NetOptions
}

type httpArgs struct {
	Method      string
	URL         string
	Body        string
	ContentType string `json:"content_type"`
	Headers     map[string]string
	Raw         bool
	Timeout     int `json:"timeout_seconds"`
}

func (t httpTool) Subject(args json.RawMessage) string {
	return cut(core.CleanLine(strings.TrimSpace(field(args, "method")+" "+field(args, "url"))), subjectBytes)
}

func (t httpTool) Run(ctx context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a httpArgs
	if r, err := t.decode(args, &a); r != nil || err != nil {
		return orNone(r), err
	}
	switch t.spec.Name {
	case "http_get":
		a.Method = http.MethodGet
	case "http_post":
		a.Method = http.MethodPost
		a.ContentType = cmp.Or(a.ContentType, "application/json")
	}
	u, refusal := address(a.URL)
	if refusal != "" {
		return failed("%s: %s", t.spec.Name, refusal), nil
	}
	timeout := httpTimeout
	if a.Timeout > 0 {
		timeout = time.Duration(a.Timeout) * time.Second
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, refusal := a.request(limited, u)
	if refusal != "" {
		return failed("%s: %s", t.spec.Name, refusal), nil
	}
	client := t.client(u)
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err == nil {
		defer resp.Body.Close()
		var body []byte
		if body, err = io.ReadAll(io.LimitReader(resp.Body, httpBody+1)); err == nil {
			return answer(env, resp, body, a.Raw)
		}
	}
	switch {
	case ctx.Err() != nil:
		return core.ToolResult{}, ctx.Err()
	case limited.Err() != nil:
		return failed("%s: no answer from %s within %v", t.spec.Name, hostOf(u), timeout), nil
	}
	return failed("%s: %s", t.spec.Name, netFault(err)), nil
}

func (a httpArgs) request(ctx context.Context, u *url.URL) (*http.Request, string) {
	req, err := http.NewRequestWithContext(ctx, a.Method, u.String(), strings.NewReader(a.Body))
	if err != nil {
		return nil, "the request cannot be made: " + core.CleanLine(err.Error())
	}
	if a.Body == "" {
		req.Body, req.ContentLength = http.NoBody, 0
	}
	req.Header.Set("User-Agent", "drover")
	if a.ContentType != "" {
		req.Header.Set("Content-Type", a.ContentType)
	}
	if len(a.Headers) > headersMax {
		return nil, fmt.Sprintf("%d header fields are too many", len(a.Headers))
	}
	for _, name := range sortedKeys(a.Headers) {
		switch low := strings.ToLower(name); {
		case low == "host" || low == "content-length" || low == "transfer-encoding" || low == "connection" || low == "upgrade" || low == "accept-encoding" ||
			strings.HasPrefix(low, "proxy-"):
			return nil, "the header field " + quoted(cut(name, 60)) + " is drover's own to set"
		case strings.ContainsAny(name+a.Headers[name], "\r\n\x00"):
			return nil, "a header field is one line"
		}
		req.Header.Set(name, a.Headers[name])
	}
	return req, ""
}

// otherHost ends a redirect that leads to a host nobody was asked about.
type otherHost struct{ to *url.URL }

func (e otherHost) Error() string { return "redirect to " + e.to.String() }

// client is for one request: what it may connect to depends on its host.
func (t httpTool) client(u *url.URL) *http.Client {
	dialer := &net.Dialer{Timeout: httpTimeout}
	tr := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, MaxResponseHeaderBytes: 64 << 10,
		TLSHandshakeTimeout: httpTimeout, ForceAttemptHTTP2: true,
	}
	if proxy, err := http.ProxyFromEnvironment(&http.Request{URL: u}); proxy == nil && err == nil { // a proxy connects by its own rules
		dialer.Control = control(mayBeInner(u.Hostname(), t.o.Private))
	}
	tr.DialContext = dialer.DialContext
	return &http.Client{Transport: tr, CheckRedirect: func(next *http.Request, via []*http.Request) error {
		switch {
		case len(via) > httpHops:
			return fmt.Errorf("more than %d redirects", httpHops)
		case !sameHost(u, next.URL):
			return otherHost{next.URL}
		}
		return nil
	}}
}

// sameHost reports whether a redirect stays where it was allowed to go; a step
// up to https is one, too.
func sameHost(from, to *url.URL) bool {
	if to.Scheme != "http" && to.Scheme != "https" || to.User != nil || from.Scheme == "https" && to.Scheme == "http" {
		return false
	}
	return hostOf(from) == hostOf(to)
}

// netFault is an error of a request in plain words, for the model.
func netFault(err error) string {
	if other, ok := errors.AsType[otherHost](err); ok {
		return "it redirects to another host: " + cut(core.CleanLine(other.to.String()), 1000) + "\nCall again with that address if it is what you want."
	}
	if refused, ok := errors.AsType[*core.Error](err); ok {
		return refused.Message + hint(refused.Hint)
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok && dns.IsNotFound {
		return "there is no host " + quoted(core.CleanLine(dns.Name))
	}
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err
	}
	return cut(core.CleanLine(err.Error()), 500)
}

func hint(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

// answer shows a response.
func answer(env core.ToolEnv, resp *http.Response, body []byte, raw bool) (core.ToolResult, error) {
	kind := resp.Header.Get("Content-Type")
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", core.CleanLine(resp.Status), cut(core.CleanLine(resp.Request.URL.String()), 500))
	for _, name := range []string{"Content-Type", "Location", "Retry-After", "Last-Modified"} {
		if v := resp.Header.Get(name); v != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, cut(core.CleanLine(v), 500))
		}
	}
	if len(body) > httpBody {
		body = body[:httpBody]
		fmt.Fprintf(&b, "(the body is longer than %s; the rest was not read)\n", size(httpBody))
	}
	res := core.ToolResult{Failed: resp.StatusCode >= 400}
	switch text, ok := asText(kind, body); {
	case len(body) == 0:
		b.WriteString("(no body)\n")
	case !ok:
		path, err := keepBytesOf(env, body)
		if err != nil {
			return core.ToolResult{}, err
		}
		res.Full = path
		fmt.Fprintf(&b, "(the body is no text: %s, in %s)\n", size(int64(len(body))), quoted(path))
	default:
		if !raw && isHTML(kind, text) {
			text = htmlText(text, resp.Request.URL)
		}
		whole := kept(env, "http", core.Clean(text))
		res.Full = whole.Full
		b.WriteString("\n" + whole.Text)
	}
	res.Text = valid(b.String())
	return res, nil
}

// asText gives the text of a body; it is not ok where the body is none.
func asText(kind string, body []byte) (string, bool) {
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	if bytes.IndexByte(body, 0) >= 0 {
		return "", false
	}
	if utf8.Valid(body) {
		return string(body), true
	}
	low := strings.ToLower(kind)
	switch {
	case strings.Contains(low, "8859-1") || strings.Contains(low, "windows-1252"):
		runes := make([]rune, len(body))
		for i, c := range body {
			runes[i] = rune(c)
		}
		return string(runes), true
	case strings.HasPrefix(low, "text/") || strings.Contains(low, "json") || strings.Contains(low, "xml"):
		return valid(string(body)), true
	}
	return "", false
}

// keepBytesOf writes a body that cannot be shown to a file.
func keepBytesOf(env core.ToolEnv, body []byte) (string, error) {
	if env.Scratch == "" {
		return "", errors.New("there is no place to keep the body in")
	}
	f, err := os.CreateTemp(env.Scratch, "http-*.bin")
	if err != nil {
		return "", fmt.Errorf("keep the body: %w", err)
	}
	_, err = f.Write(body)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("keep the body: %w", err)
	}
	return f.Name(), nil
}
