package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"drover/core"
)

// Problem is what a provider says went wrong, in an error answer or inside a stream.
type Problem struct {
	Status     int    // 0 where there is none
	Type       string // its name of the kind of error
	Code       string
	Message    string // its words
	RetryAfter time.Duration
}

// wireProblem is the union of the shapes that errors have in the wild.
type wireProblem struct {
	Error    json.RawMessage `json:"error"` // an object or a text
	Message  json.RawMessage `json:"message"`
	Detail   json.RawMessage `json:"detail"`
	Type     string          `json:"type"`
	Code     json.RawMessage `json:"code"` // a text or a number
	Status   json.RawMessage `json:"status"`
	Details  json.RawMessage `json:"details"`
	Metadata struct {
		Raw json.RawMessage `json:"raw"` // OpenRouter: the words of the provider behind it
	} `json:"metadata"`
}

// ParseProblem reads an error in any of the shapes providers use; what is no
// JSON is taken as text.
func ParseProblem(body []byte) Problem {
	body = bytes.TrimSpace(body)
	if bytes.HasPrefix(body, []byte("[")) { // Gemini wraps its error in a list
		var list []json.RawMessage
		if json.Unmarshal(body, &list) == nil && len(list) > 0 {
			body = list[0]
		}
	}
	var w wireProblem
	if json.Unmarshal(body, &w) != nil {
		return Problem{Message: plain(body)}
	}
	p := Problem{Type: w.Type, Code: word(w.Code), Message: word(w.Message)}
	if p.Message == "" {
		p.Message = word(w.Detail)
	}
	if len(w.Error) > 0 {
		var inner wireProblem
		if json.Unmarshal(w.Error, &inner) == nil {
			p = Problem{Type: inner.Type, Code: word(inner.Code), Message: word(inner.Message), RetryAfter: retryDelay(inner.Details)}
			if p.Type == "" {
				p.Type = word(inner.Status)
			}
			if raw := word(inner.Metadata.Raw); raw != "" {
				p.Message += ": " + raw
			}
		} else {
			p.Message = word(w.Error)
		}
	}
	if n, err := strconv.Atoi(p.Code); err == nil && n >= 400 && n < 600 {
		p.Status = n
	}
	return p
}

// word is a JSON text as it is, anything else as JSON; null is nothing.
func word(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return ""
	}
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// plain is the text of an answer that is no JSON; of a web page its title.
func plain(body []byte) string {
	s := string(body)
	if strings.HasPrefix(s, "<") {
		_, rest, ok := strings.Cut(s, "<title>")
		if title, _, end := strings.Cut(rest, "</title>"); ok && end {
			return "a web page: " + strings.TrimSpace(title)
		}
		return "a web page"
	}
	return s
}

// retryDelay reads Google's RetryInfo.
func retryDelay(details json.RawMessage) time.Duration {
	var list []struct {
		RetryDelay string `json:"retryDelay"`
	}
	if len(details) == 0 || json.Unmarshal(details, &list) != nil {
		return 0
	}
	for _, d := range list {
		if t, err := time.ParseDuration(d.RetryDelay); err == nil && t > 0 {
			return t
		}
	}
	return 0
}

// retryAfter reads how long a provider wants to be left alone.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return capped(ms / 1000)
	}
	v := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(v, 64); err == nil && s > 0 {
		return capped(s)
	}
	if t, err := http.ParseTime(v); err == nil && t.After(now) {
		return capped(t.Sub(now).Seconds())
	}
	return 0
}

// capped keeps a nonsensical wait from overflowing: a day is as good as never.
func capped(seconds float64) time.Duration {
	return time.Duration(min(seconds, 86400) * float64(time.Second))
}

// class decides what kind of failure a problem is.
func (p Problem) class() Class {
	said := strings.ToLower(p.Type + " " + p.Code + " " + p.Message)
	has := func(parts ...string) bool {
		for _, s := range parts {
			if strings.Contains(said, s) {
				return true
			}
		}
		return false
	}
	switch {
	case p.Status == http.StatusUnauthorized, p.Status == http.StatusForbidden, p.Status == http.StatusPaymentRequired,
		has("insufficient_quota", "credit balance", "billing", "authentication_error", "permission_error", "invalid_api_key", "api key not valid"):
		return ClassAuth
	case p.Status == http.StatusTooManyRequests, has("rate_limit", "resource_exhausted", "rate limit"):
		return ClassRateLimit
	case p.Status == http.StatusRequestEntityTooLarge, tooLong(said):
		return ClassContextTooLong
	case p.Status == 529, p.Status == http.StatusServiceUnavailable, has("overloaded"):
		return ClassOverloaded
	case p.Status == http.StatusRequestTimeout, p.Status == http.StatusConflict, p.Status == http.StatusTooEarly, p.Status >= 500:
		return ClassServer
	case p.Status == http.StatusNotFound, p.Status == http.StatusMethodNotAllowed, has("not_found", "model_not_found"):
		return ClassNotFound
	case has("content_filter", "content_policy", "safety", "cyber_policy"):
		return ClassRefused
	case p.Status >= 300, has("invalid"):
		return ClassInvalid
	}
	return ClassServer
}

// tooLong knows the words in which providers say that a conversation does not fit.
func tooLong(said string) bool {
	for _, s := range []string{
		"context_length", "context length", "context window", "context size", "context limit", "exceed_context", "prompt is too long",
		"maximum prompt length", "input token count", "input is too long", "request_too_large", "too many tokens", "context the overflows",
	} {
		if strings.Contains(said, s) {
			return true
		}
	}
	return false
}

// Fault makes a Fault of a problem: the provider's words, without the key, and the remedy.
func (c *Client) Fault(p Problem) *Fault {
	class := p.class()
	words := core.Short(core.CleanLine(c.mask(p.Message)), 600)
	if words == "" {
		words = strings.TrimSpace(p.Type + " " + http.StatusText(p.Status))
	}
	if words == "" {
		words = "an error without words"
	}
	message := c.o.name() + ": " + words
	if p.Status > 0 {
		message = fmt.Sprintf("%s answered %d: %s", c.o.name(), p.Status, words)
	}
	return &Fault{Class: class, Status: p.Status, RetryAfter: p.RetryAfter, Err: &core.Error{
		Code: class.Code(), Message: message, Hint: c.hint(class, p),
	}}
}

func (c *Client) hint(class Class, p Problem) string {
	key := "the key"
	if c.o.KeyName != "" {
		key = c.o.KeyName
	}
	switch class {
	case ClassAuth:
		said := strings.ToLower(p.Type + p.Code + p.Message)
		switch {
		case p.Status == http.StatusPaymentRequired, strings.Contains(said, "quota"), strings.Contains(said, "credit"), strings.Contains(said, "billing"):
			return "the account behind " + key + " has no credit left: see the provider's billing page"
		case p.Status == http.StatusForbidden:
			return key + " may not use this model: check its rights, or choose another model (drover models)"
		case c.o.KeyName == "":
			return "the server wants a key: set one for " + c.o.name()
		}
		return "set " + key + " to a valid key of " + c.o.name()
	case ClassNotFound:
		if !p.routeMissing() {
			return "drover models lists the models there are"
		}
		return "is the base URL right? It is " + c.shown()
	case ClassContextTooLong:
		return "compact the conversation, or choose a model with a larger context (drover models)"
	case ClassRateLimit:
		return "wait, or choose a model of another provider (drover models)"
	case ClassRefused:
		return "ask in other words, or choose another model"
	case ClassInvalid:
		if strings.Contains(strings.ToLower(p.Message), "tool") {
			return "the model may not be able to use tools: choose another one (drover models)"
		}
		return "the model cannot take this request: choose another one (drover models)"
	case ClassOverloaded, ClassServer:
		return "try again later, or choose another model (drover models)"
	}
	return ""
}

// routeMissing reports whether a 404 is about the address and not about a model.
func (p Problem) routeMissing() bool {
	if p.Status != http.StatusNotFound && p.Status != http.StatusMethodNotAllowed {
		return false
	}
	return !strings.Contains(strings.ToLower(p.Message+p.Code+p.Type), "model")
}
