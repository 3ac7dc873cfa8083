package tool

import (
	"encoding/json"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"syscall"

	"drover/core"
)

// What a request may reach is decided twice: by its address as it is written,
// which a person is asked about, and by the numeric address at the moment of
// the connection, so that no name leads where the person did not mean to go.

func isNet(tool string) bool {
	return tool == "http_get" || tool == "http_post" || tool == "http_request"
}

// hostOf is the host of an address as rules know it: in lower case, with its
// port where that is not the scheme's own.
func hostOf(u *url.URL) string {
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port := u.Port(); port != "" && port != map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		host += ":" + port
	}
	return host
}

// exactHost is what rules judge a request by; "" where none is for it.
func exactHost(name string, args json.RawMessage) string {
	u, refusal := address(field(args, "url"))
	if refusal != "" {
		return ""
	}
	if name == "http_request" {
		return field(args, "method") + " " + hostOf(u)
	}
	return hostOf(u)
}

// address reads an address that a model wrote.
func address(text string) (*url.URL, string) {
	u, err := url.Parse(strings.TrimSpace(text))
	switch {
	case err != nil:
		return nil, "this is not an address: " + quoted(cut(core.CleanLine(text), 200))
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, "only http:// and https:// addresses can be reached, not " + quoted(cut(core.CleanLine(text), 200))
	case u.Hostname() == "":
		return nil, "the address names no host"
	case u.User != nil:
		return nil, "the address holds a name or a password before its host; leave them out, or send an Authorization header"
	case strings.ContainsFunc(u.Host, func(r rune) bool {
		return r >= 0x7f || r <= ' ' || strings.ContainsRune("%*()\\,;'\"<>`", r)
	}):
		return nil, "the host holds characters that no host has; write an international name in its xn-- form"
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil {
		if why := never(ip); why != "" {
			return nil, why
		}
	}
	return u, ""
}

var (
	metadata = []netip.Addr{
		netip.MustParseAddr("100.100.100.200"), netip.MustParseAddr("168.63.129.16"), netip.MustParseAddr("192.0.0.192"),
		netip.MustParseAddr("fd00:ec2::254"), netip.MustParseAddr("fd20:ce::254"),
	}
	inner = []netip.Prefix{
		netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"), netip.MustParsePrefix("198.18.0.0/15"),
		netip.MustParsePrefix("fec0::/10"),
	}
	nowhere = netip.MustParsePrefix("240.0.0.0/4")
	nat64   = netip.MustParsePrefix("64:ff9b::/96")
	sixTo4  = netip.MustParsePrefix("2002::/16")
)

// plainAddr is an address without the clothes of another family.
func plainAddr(ip netip.Addr) netip.Addr {
	ip = ip.WithZone("").Unmap()
	b := ip.As16()
	switch {
	case nat64.Contains(ip):
		return netip.AddrFrom4([4]byte(b[12:]))
	case sixTo4.Contains(ip):
		return netip.AddrFrom4([4]byte(b[2:6]))
	}
	return ip
}

// never says why an address is not reached by anybody, or "".
func never(ip netip.Addr) string {
	ip = plainAddr(ip)
	for _, m := range metadata {
		if ip == m {
			return ip.String() + " gives out the keys of this machine in the cloud; it is never reached"
		}
	}
	switch {
	case ip.IsLinkLocalUnicast():
		return ip.String() + " is an address of this link, where clouds give out the keys of a machine; it is never reached"
	case ip.IsUnspecified() || ip.IsMulticast() || nowhere.Contains(ip):
		return ip.String() + " is the address of no server"
	}
	return ""
}

// private reports whether an address belongs to this machine or its network.
func private(ip netip.Addr) bool {
	ip = plainAddr(ip)
	for _, p := range inner {
		if p.Contains(ip) {
			return true
		}
	}
	return ip.IsLoopback() || ip.IsPrivate()
}

// mayBeInner reports whether the host says by itself that it is one of this
// machine or its network, so that the person who allowed it knew.
func mayBeInner(host string, named []string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if _, err := netip.ParseAddr(host); err == nil || host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	for _, n := range named {
		if wildcard(strings.ToLower(n), `[^/]*`, host) {
			return true
		}
	}
	return false
}

// control is for a net.Dialer: it looks at where a connection really goes.
func control(inner bool) func(network, address string, _ syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return fmt.Errorf("connect to %s: %w", address, err)
		}
		ip, err := netip.ParseAddr(host)
		if err != nil {
			return fmt.Errorf("connect to %s: %w", address, err)
		}
		if why := never(ip); why != "" {
			return core.Errorf(core.CodeToolRefused, "%s", why)
		}
		if private(ip) && !inner {
			return &core.Error{
				Code: core.CodeToolRefused, Message: "this name leads to " + ip.String() + ", an address of this machine or its network; it is not reached by a name",
				Hint: "write the address itself or localhost, or have the person name the host in the setting private_hosts",
			}
		}
		return nil
	}
}
