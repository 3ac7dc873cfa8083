package model

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"drover/core"
)

// Wire is a wire format, and how a key is sent with it.
type Wire string

const (
	WireAnthropic Wire = "anthropic" // Anthropic Messages
	WireChat      Wire = "chat"      // OpenAI Chat Completions, which most servers speak
	WireResponses Wire = "responses" // OpenAI Responses
)

// Options of a provider; BaseURL is needed.
type Options struct {
	Name    string                                    // of the provider, for messages and prices
	BaseURL string                                    // with or without /v1 and a slash at the end
	Key     func(ctx context.Context) (string, error) // nil, or an empty key: none is sent
	KeyName string                                    // where a person sets the key: a variable's name
	Bearer  bool                                      // send the key as a bearer token, whatever the wire format
	Moved   bool                                      // at an address of a person's own, which may want the key in another header
	Headers map[string]string                         // sent with every request; may override
	HTTP    *http.Client                              // nil: NewHTTP()
	Idle    time.Duration                             // a stream that is silent for longer has failed; 0: 120 s
	First   time.Duration                             // the same before the answer begins; 0: 5 min
	// MaxOutput is how many tokens an answer may have; 0: what suits the model.
	MaxOutput int
	Prices    Prices // nil: the cost is unknown
}

func (o *Options) name() string {
	if o.Name != "" {
		return o.Name
	}
	return "the provider"
}

// NewHTTP makes a client for many streams at once: connections are kept, the
// proxy of the environment is used, nothing is compressed (which would hold
// small events back).
func NewHTTP() *http.Client {
	t := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 15 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConnsPerHost:   256,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   15 * time.Second,
		ExpectContinueTimeout: time.Second,
		DisableCompression:    true,
		WriteBufferSize:       32 << 10, // most requests as a whole: with less each one is copied once more, and written in two parts
		HTTP2:                 &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
	}
	return &http.Client{Transport: t}
}

// Client sends the requests of one provider in one wire format.
type Client struct {
	o    Options
	wire Wire
	http http.Client
	base *url.URL
	urls []string               // where the requests may have to go, the likeliest first
	good atomic.Int32           // which of them answered
	form atomic.Int32           // in which header it wanted the key
	last atomic.Pointer[string] // the key, to keep it out of messages
}

// NewClient makes a client that posts to path, such as "messages", below the
// base URL. A base URL that cannot be used is told by Post.
func NewClient(o Options, wire Wire, path string) *Client {
	if o.Idle <= 0 {
		o.Idle = 120 * time.Second
	}
	if o.First <= 0 {
		o.First = 5 * time.Minute
	}
	if o.HTTP == nil {
		o.HTTP = NewHTTP()
	}
	c := &Client{o: o, wire: wire, http: *o.HTTP}
	c.http.CheckRedirect = sameServer
	c.base, c.urls = endpoints(o.BaseURL, path)
	return c
}

// Options returns what the client was made of, with its defaults.
func (c *Client) Options() Options { return c.o }

// Post sends body and returns the stream of the answer, or a *Fault.
func (c *Client) Post(ctx context.Context, body Body) (*Stream, error) {
	key, err := c.key(ctx)
	if err != nil {
		return nil, err
	}
	return c.ask(ctx, http.MethodPost, key, body)
}

// ask asks at one address after the other until one knows what is meant.
func (c *Client) ask(ctx context.Context, method, key string, body Body) (*Stream, error) {
	first := int(c.good.Load())
	var fault error
	for i := range c.urls {
		at := (first + i) % len(c.urls)
		to := c.urls[at]
		if method == http.MethodGet && c.wire == WireAnthropic && !strings.Contains(to, "?") {
			to += "?limit=1000" // else it lists the first twenty
		}
		s, p, err := c.keyed(ctx, method, to, key, body)
		if err == nil {
			c.good.Store(int32(at))
			return s, nil
		}
		if fault == nil {
			fault = err
		}
		if !p.routeMissing() {
			return nil, err
		}
	}
	return nil, fault
}

// keyed makes one request, and again with the key in another header where the
// server did not find it in the first.
func (c *Client) keyed(ctx context.Context, method, to, key string, body Body) (*Stream, Problem, error) {
	forms := c.forms()
	first := int(c.form.Load())
	var p Problem
	var fault error
	for i := range forms {
		at := (first + i) % len(forms)
		s, q, err := c.send(ctx, method, to, forms[at], key, body)
		if err == nil {
			c.form.Store(int32(at))
			return s, q, nil
		}
		if fault == nil {
			p, fault = q, err
		}
		if key == "" || !q.keyMissing() {
			break
		}
	}
	return nil, p, fault
}

// key returns the key, checked.
func (c *Client) key(ctx context.Context) (string, error) {
	if len(c.urls) == 0 {
		return "", &Fault{Class: ClassInvalid, Err: &core.Error{
			Code: core.CodeModel, Message: c.o.name() + ": the base URL cannot be used: " + core.CleanLine(c.shown()),
			Hint: "a base URL looks like https://host/v1 or http://localhost:11434",
		}}
	}
	if c.o.Key == nil {
		return "", nil
	}
	key, err := c.o.Key(ctx)
	if err != nil {
		if e := ended(ctx); e != nil {
			return "", e
		}
		return "", &Fault{Class: ClassAuth, Err: &core.Error{Code: core.CodeModelAuth, Message: c.o.name() + ": the key cannot be had: " + core.CleanLine(err.Error()), Hint: "check " + c.o.KeyName, Err: err}}
	}
	key = strings.TrimSpace(key)
	if strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r > '~' }) {
		return "", &Fault{Class: ClassAuth, Err: &core.Error{
			Code: core.CodeModelAuth, Message: c.o.name() + ": the key holds characters that no key has", Hint: "look for line breaks and quotes in " + c.o.KeyName,
		}}
	}
	c.last.Store(&key)
	return key, nil
}

// send makes one request. Where the answer is an error, it is returned as problem too.
func (c *Client) send(parent context.Context, method, to, form, key string, body Body) (*Stream, Problem, error) {
	ctx, cancel := context.WithCancelCause(parent)
	s := &Stream{c: c, parent: parent, ctx: ctx, cancel: cancel, idle: c.o.First}
	s.timer = time.AfterFunc(s.idle, func() { cancel(errSilent) })
	req, err := http.NewRequestWithContext(ctx, method, to, nil)
	if err != nil {
		s.Close()
		return nil, Problem{}, c.unreached(parent, ctx, err)
	}
	body.put(req)
	c.header(req.Header, form, key, method)
	res, err := c.http.Do(req)
	if err != nil {
		s.Close()
		return nil, Problem{}, c.unreached(parent, ctx, err)
	}
	s.body = unpacked(res)
	if res.StatusCode/100 != 2 {
		defer s.Close()
		said, err := io.ReadAll(io.LimitReader(s.body, 64<<10))
		if err := ended(parent); err != nil {
			return nil, Problem{}, err
		}
		p := ParseProblem(said)
		p.Status = res.StatusCode
		if err != nil && len(said) == 0 {
			p.Message = "the answer was cut off"
		}
		p.RetryAfter = p.after(res.Header, time.Now())
		if to := res.Header.Get("Location"); res.StatusCode/100 == 3 && to != "" {
			p.Message = "it wants to be asked at another address, " + to + "; set the base URL to that"
		}
		return nil, p, c.Fault(p)
	}
	s.Events, s.idle, s.heard = NewEvents(s), c.o.Idle, time.Now()
	s.timer.Reset(s.idle)
	return s, Problem{}, nil
}

func (c *Client) header(h http.Header, form, key, method string) {
	if method == http.MethodPost {
		h.Set("Content-Type", "application/json")
		h.Set("Accept", "text/event-stream, application/json")
	}
	h.Set("User-Agent", "drover")
	if c.wire == WireAnthropic {
		h.Set("Anthropic-Version", "2023-06-01")
	}
	switch {
	case key == "":
	case form == "Authorization":
		h.Set(form, "Bearer "+key)
	default:
		h.Set(form, key)
	}
	for k, v := range c.o.Headers {
		h.Set(k, v)
	}
}

// unreached is the fault of a request that got no answer.
func (c *Client) unreached(parent, ctx context.Context, err error) error {
	if e := ended(parent); e != nil {
		return e
	}
	e := &core.Error{Code: core.CodeModel, Message: c.o.name() + ": " + c.shown() + " cannot be reached: " + core.CleanLine(c.mask(cause(err).Error())), Hint: "check the network and the base URL"}
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	class := ClassNetwork
	switch {
	case context.Cause(ctx) == errSilent:
		e.Message = c.o.name() + ": " + c.shown() + " did not answer within " + c.o.First.String()
		e.Hint = "try again later, or choose another model (drover models)"
	case proxied(err):
		e.Message = c.o.name() + ": the proxy cannot be reached: " + core.CleanLine(c.mask(cause(err).Error()))
		e.Hint = "check HTTPS_PROXY and HTTP_PROXY, or name the server in NO_PROXY"
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Message = c.o.name() + ": nothing listens at " + c.shown()
		e.Hint = "is the server running there?"
	case errors.As(err, &dns):
		e.Hint = "check the name in the base URL, and the network"
	case errors.As(err, &cert), errors.As(err, new(x509.UnknownAuthorityError)):
		class = ClassTLS
		e.Hint = "its certificate is not trusted here: add its authority to the system's (SSL_CERT_FILE), or check the base URL"
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		class = ClassTLS
		e.Hint = "the server speaks no TLS: the base URL probably begins with http://"
	}
	return &Fault{Class: class, Err: e}
}

// proxied reports whether it is the proxy that was not reached.
func proxied(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "proxyconnect"
}

// cause is err without the method and the URL, which may hold a key.
func cause(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}
