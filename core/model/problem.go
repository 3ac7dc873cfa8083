package model

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
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
	Base struct {
		Code json.RawMessage `json:"status_code"`
		Says string          `json:"status_msg"`
	} `json:"base_resp"` // MiniMax, beside an answer that is none
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
	if p.Message == "" && w.Base.Says != "" {
		p.Code, p.Message = word(w.Base.Code), w.Base.Says
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

var title = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)

// plain is the text of an answer that is no JSON; of a web page its title.
func plain(body []byte) string {
	s := string(body)
	if strings.HasPrefix(s, "<") {
		if m := title.FindStringSubmatch(s); m != nil {
			return "a web page: " + strings.TrimSpace(m[1])
		}
		return "a web page"
	}
	return s
}

// class decides what kind of failure a problem is.
func (p Problem) class() Class {
	said := strings.ToLower(p.Type + " " + p.Code + " " + p.Message)
	has := func(parts ...string) bool { return says(said, parts) }
	switch {
	case p.Status == http.StatusPaymentRequired, p.broke(said):
		return ClassAuth
	case p.Status == http.StatusTooManyRequests && has("request too large"): // larger than what a minute may have: waiting does not help
		return ClassContextTooLong
	case p.Status == http.StatusTooManyRequests:
		return ClassRateLimit
	case p.Status == http.StatusUnauthorized, p.Status == http.StatusForbidden, has(wrongKey...):
		return ClassAuth
	case p.Status == http.StatusRequestEntityTooLarge, has(tooLong...):
		return ClassContextTooLong
	case has("rate_limit", "resource_exhausted", "rate limit", "throttling"):
		return ClassRateLimit
	case p.Status == 529, p.Status == http.StatusServiceUnavailable, has("overloaded"):
		return ClassOverloaded
	case has("--jinja", "not support tools", "tool use is not supported"): // whatever the status
		return ClassInvalid
	case p.Status == http.StatusNotImplemented, p.Status == http.StatusHTTPVersionNotSupported:
		return ClassInvalid
	case p.Status == http.StatusRequestTimeout, p.Status == http.StatusConflict, p.Status == http.StatusFailedDependency,
		p.Status == http.StatusTooEarly, p.Status == closedByClient, p.Status >= 500:
		return ClassServer
	case p.Status == http.StatusNotFound, p.Status == http.StatusMethodNotAllowed, has("not_found", "model_not_found"):
		return ClassNotFound
	case has("content_filter", "content_policy", "safety", "cyber_policy"):
		return ClassRefused
	case p.Status >= 300, has("invalid", "unexpected endpoint"):
		return ClassInvalid
	}
	return ClassServer
}

// closedByClient is the status of proxies for a request whose client has gone, or so they think.
const closedByClient = 499

// broke reports whether there is no credit left. Some providers speak of plan
// and billing at limits of a minute too, and then say when to come again.
func (p Problem) broke(said string) bool {
	if says(said, noCredit) {
		return true
	}
	return strings.Contains(said, "billing") && p.RetryAfter == 0 && !strings.Contains(said, "resource_exhausted")
}

// What providers say, in small letters.
var (
	noCredit = []string{
		"insufficient_quota", "credit balance", "exceeded_current_quota", "insufficient balance", "insufficient_balance", "insufficient credit",
		"insufficient fund", "out of credit", "not enough credit", "requires more credits", "api usage limits",
	}
	wrongKey = []string{
		"authentication_error", "permission_error", "invalid_api_key", "invalid api key", "incorrect api key", "api key not valid", "no auth credentials",
		"invalid_authentication", "authentication fail", "unauthorized",
	}
	tooLong = []string{
		"context_length", "context length", "context window", "context size", "context limit", "exceed_context", "prompt is too long",
		"maximum prompt length", "input token count", "input is too long", "request_too_large", "too many tokens", "context the overflows",
		"reduce the length of the messages", "exceeded model token limit", "prompt exceeds max length", "range of input length", "max_new_tokens` must be",
		"too large for model with",
	}
)

func says(said string, parts []string) bool {
	for _, s := range parts {
		if strings.Contains(said, s) {
			return true
		}
	}
	return false
}
