package model

import (
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
	if c.base != nil && c.base.User != nil {
		if p, ok := c.base.User.Password(); ok {
			hide(p)
		}
	}
	return s
}
