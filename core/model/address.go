package model

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// version matches the part of a path that names the version of an API.
var version = regexp.MustCompile(`^v\d+[a-z]*\d*$`)

// endpoints are the addresses that a base URL may mean, the likeliest first:
// people write it with and without the version, and servers want it either way.
func endpoints(base, path string) (*url.URL, []string) {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return u, nil
	}
	u.Fragment = ""
	dir := strings.TrimRight(u.Path, "/")
	for _, end := range []string{path, "chat/completions", "responses", "messages"} { // the whole address, as some copy it
		dir = strings.TrimSuffix(dir, "/"+end)
	}
	parts := strings.Split(strings.Trim(dir, "/"), "/")
	versioned := false
	for _, p := range parts {
		versioned = versioned || version.MatchString(p)
	}
	if dir == "" && azure(u) {
		dir = "/openai"
	}
	dirs := []string{dir + "/v1", dir}
	if versioned {
		dirs = []string{dir}
		if last := parts[len(parts)-1]; version.MatchString(last) {
			dirs = append(dirs, strings.TrimSuffix(dir, "/"+last))
		}
	}
	var out []string
	for _, d := range dirs {
		to := *u
		to.Path, to.RawPath = strings.TrimRight(d, "/")+"/"+path, ""
		out = append(out, to.String())
	}
	return u, out
}

// azure reports whether an address is one of Azure's, which wants the key in a header of its own.
func azure(u *url.URL) bool {
	return strings.HasSuffix(u.Hostname(), ".azure.com") || strings.Contains(u.Path, "/openai/deployments/") || u.Query().Has("api-version")
}

// forms are the headers that a key may be sent in, the likeliest first. More
// than one are tried only where a person has named the server.
func (c *Client) forms() []string {
	own, others := "Authorization", []string{"Api-Key"}
	if c.wire == WireAnthropic {
		own, others = "X-Api-Key", []string{"Authorization"}
		if c.o.Bearer {
			own, others = "Authorization", []string{"X-Api-Key"}
		}
	} else if c.base != nil && azure(c.base) {
		own, others = "Api-Key", []string{"Authorization"}
	}
	if !c.o.Moved {
		return []string{own}
	}
	return append([]string{own}, others...)
}

// sameServer follows a redirect only where the request stays what it is and
// goes to the same server: a key goes nowhere else.
func sameServer(next *http.Request, before []*http.Request) error {
	was := before[0]
	if len(before) > 3 || next.Method != was.Method || next.URL.Scheme != was.URL.Scheme || next.URL.Host != was.URL.Host {
		return http.ErrUseLastResponse
	}
	return nil
}

// shown is the base URL as a person may see it: without what could be a key.
func (c *Client) shown() string {
	if c.base == nil {
		return "(not a URL)"
	}
	u := url.URL{Scheme: c.base.Scheme, Host: c.base.Host, Path: c.base.Path}
	return u.String()
}

// leastSecret is the length from which a text is taken for a secret: shorter
// ones would blot out ordinary words.
const leastSecret = 8

// mask takes the key, and values of the headers, out of what somebody else wrote.
func (c *Client) mask(s string) string {
	hide := func(secret string) {
		if secret = strings.TrimSpace(secret); len(secret) >= leastSecret {
			s = strings.ReplaceAll(s, secret, "***")
		}
	}
	if k := c.last.Load(); k != nil {
		hide(*k)
	}
	for _, v := range c.o.Headers {
		hide(v)
		hide(strings.TrimPrefix(v, "Bearer "))
	}
	if c.base == nil {
		return s
	}
	if p, ok := c.base.User.Password(); ok {
		hide(p)
	}
	for name, values := range c.base.Query() {
		for _, v := range values {
			if name != "api-version" {
				hide(v)
				hide(url.QueryEscape(v))
			}
		}
	}
	return s
}
