package model

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

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

// again finds, in a provider's words, when it may be asked again.
var again = regexp.MustCompile(`(?i)(?:try again|retry|wait)(?: in| after| for)? ((?:\d+(?:\.\d+)?(?:ms|h|m|s) ?)+|\d+(?:\.\d+)? ?seconds?)`)

// after is how long a provider wants to be left alone: as its headers say, else
// as the error does, else as its counters or its words tell. 0: nobody says.
func (p Problem) after(h http.Header, now time.Time) time.Duration {
	if d := retryAfter(h, now); d > 0 {
		return d
	}
	if p.RetryAfter > 0 || p.Status != http.StatusTooManyRequests && p.Status != http.StatusServiceUnavailable {
		return p.RetryAfter
	}
	if d := counters(h, now); d > 0 {
		return d
	}
	m := again.FindStringSubmatch(p.Message)
	if m == nil {
		return 0
	}
	said := strings.ReplaceAll(m[1], " ", "")
	said = strings.TrimSuffix(strings.TrimSuffix(said, "s"), "second")
	if v, err := strconv.ParseFloat(said, 64); err == nil {
		return capped(v)
	}
	if d, err := time.ParseDuration(strings.ReplaceAll(m[1], " ", "")); err == nil && d > 0 {
		return capped(d.Seconds())
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

// counters reads the headers that tell what is left of a limit and when it is
// full again: those of which nothing is left, the last one of them.
func counters(h http.Header, now time.Time) time.Duration {
	var wait time.Duration
	for name, values := range h {
		for _, mark := range []string{"X-Ratelimit-Reset", "Anthropic-Ratelimit-", "Ratelimit-Reset"} {
			if !strings.HasPrefix(name, mark) || !strings.Contains(name, "Reset") || len(values) == 0 {
				continue
			}
			left := h.Get(strings.Replace(name, "Reset", "Remaining", 1))
			if left == "0" || left == "" && (name == "X-Ratelimit-Reset" || name == "Ratelimit-Reset") {
				wait = max(wait, moment(values[0], now))
			}
		}
	}
	return wait
}

// moment reads "6m0s", seconds, a time since 1970 in seconds or milliseconds, or a date, as a wait from now.
func moment(v string, now time.Time) time.Duration {
	v = strings.TrimSpace(v)
	if n, err := strconv.ParseFloat(v, 64); err == nil && n > 0 {
		switch {
		case n > 1e12:
			n = n/1e3 - float64(now.Unix())
		case n > 1e9:
			n -= float64(now.Unix())
		}
		return capped(max(n, 0))
	}
	if d, err := time.ParseDuration(v); err == nil && d > 0 {
		return capped(d.Seconds())
	}
	for _, layout := range []string{time.RFC3339, http.TimeFormat} {
		if t, err := time.Parse(layout, v); err == nil && t.After(now) {
			return capped(t.Sub(now).Seconds())
		}
	}
	return 0
}
