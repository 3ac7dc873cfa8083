package mask

import "strings"

// shapes are the secrets that can be told by how they look.
var shapes = concat(
	tokens(alnum, 16, "AKIA", "ASIA", "ABIA", "ACCA"), // AWS
	tokens(alnum, 20, "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "npm_", "hf_", "gsk_", "sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_", "shpat_", "shpss_", "lin_api_", "dckr_pat_", "AGE-SECRET-KEY-1", "dop_v1_", "sbp_", "r8_", "pscale_tkn_"),
	tokens(dashed, 20, "github_pat_", "glpat-", "glrt-", "sk-ant-", "sk-proj-", "sk-or-", "sk-svcacct-", "sk-", "xai-", "xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xapp-", "pypi-", "AIza", "ya29.", "GOCSPX-", "glsa_", "dapi", "hvs.", "ops_", "SG.", "tskey-"),
	[]trigger{
		{text: "eyJ", find: jwt},
		{text: "-----BEGIN ", find: pem},
		{text: "://", find: address},
		{text: "bearer ", fold: true, find: bearer},
		{text: "hooks.slack.com/services/", find: hook}, {text: "/api/webhooks/", find: hook},
		{text: "authorization", fold: true, find: header},
	},
	named(password, "password", "passwd", "passphrase", "pass", "pwd"),
	named(token, "secret", "token", "apikey", "api_key", "api-key", "access_key", "accesskey", "private_key", "privatekey", "credential", "auth", "signature", "sig"),
	named(key, "key"),
)

func concat(lists ...[]trigger) []trigger {
	var all []trigger
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// The bytes that values are made of.
var (
	alnum     = classOf(func(c byte) bool { return isLetter(c) || isDigit(c) })
	dashed    = classOf(func(c byte) bool { return alnum[c] || strings.IndexByte("_-.", c) >= 0 })
	segment   = classOf(func(c byte) bool { return alnum[c] || strings.IndexByte("_-", c) >= 0 })
	pathlike  = classOf(func(c byte) bool { return dashed[c] || c == '/' })
	base64ish = classOf(func(c byte) bool { return dashed[c] || strings.IndexByte("+/=~", c) >= 0 })
	keyBody   = classOf(func(c byte) bool { return base64ish[c] || strings.IndexByte("\r\n\t :,\\", c) >= 0 })
	label     = classOf(func(c byte) bool { return isUpper(c) || isDigit(c) || c == ' ' })
	user      = classOf(func(c byte) bool { return c > ' ' && c < 0x7f && strings.IndexByte("/:@?#\"'`<>\\[]{}()", c) < 0 })
	pass      = classOf(func(c byte) bool { return user[c] || c == ':' || c == '@' })
	letter    = classOf(func(c byte) bool { return isLetter(c) || c == '-' })
	blank     = classOf(func(c byte) bool { return c == ' ' || c == '\t' })
	value     = classOf(func(c byte) bool { return c > ' ' && c < 0x7f && strings.IndexByte("\"'`\\,;&()<>{}[]|", c) < 0 })
	said      = classOf(func(c byte) bool { return alnum[c] || strings.IndexByte("_-!@#$%^&*+", c) >= 0 })
)

// glance is how much of a value is looked at to tell whether it is one; a
// hostile text could have the same bytes looked at again and again.
const glance = 256

// tokens begin with one of the prefixes and go on for so many characters at least.
func tokens(ok *class, least int, prefixes ...string) []trigger {
	find := func(t *trigger, a *ahead) (from, to int) {
		if isWord(a.prev) || a.prev == '-' && t.text == "sk-" {
			return 0, 0
		}
		n := len(t.text)
		end := a.upTo(n, glance, ok)
		body := strings.TrimRight(a.text[n:end], ".-_")
		if len(body) < least || !strings.ContainsAny(body, "0123456789") && isLowerAll(body) {
			return 0, 0
		}
		return 0, a.rest(n, n+len(body), ok)
	}
	var list []trigger
	for _, p := range prefixes {
		list = append(list, trigger{text: p, find: find})
	}
	return list
}

func isLowerAll(s string) bool { return s == strings.ToLower(s) }

func jwt(_ *trigger, a *ahead) (from, to int) {
	if isWord(a.prev) || a.prev == '-' {
		return 0, 0
	}
	head := a.span(0, segment)
	if head < 12 || a.byte(head) != '.' || !a.has(head+1, "eyJ", false) {
		return 0, 0
	}
	body := a.span(head+1, segment)
	if body-head < 12 {
		return 0, 0
	}
	if a.byte(body) == '.' {
		body = a.span(body+1, segment)
	}
	return 0, body
}

// pem is a private key, whole or cut off. Certificates and public keys may be seen.
func pem(t *trigger, a *ahead) (from, to int) {
	n := len(t.text)
	end := a.upTo(n, 40, label)
	if !strings.HasSuffix(a.text[n:end], "PRIVATE KEY") && !strings.HasSuffix(a.text[n:end], "PRIVATE KEY BLOCK") || !a.has(end, "-----", false) {
		return 0, 0
	}
	i := end + 5
	for i < len(a.text) && keyBody[a.text[i]] {
		if a.text[i] == '-' && a.has(i, "-----END ", false) {
			i = a.upTo(i+9, 40, label)
			if a.has(i, "-----", false) {
				i += 5
			}
			return 0, i
		}
		i++
	}
	_ = a.byte(i)
	return 0, len(strings.TrimRight(a.text[:i], "\\\r\n\t "))
}

// address masks the password in one, or a user's name that is a key.
func address(_ *trigger, a *ahead) (from, to int) {
	name := a.upTo(3, 200, user)
	if a.byte(name) == '@' && isRandom(a.text[3:name], 20) {
		return 3, name
	}
	if a.byte(name) != ':' {
		return 0, 0
	}
	end := a.upTo(name+1, 200, pass)
	end = name + 1 + max(0, strings.LastIndexByte(a.text[name+1:end], '@')) // it may hold one itself
	if strings.Trim(a.text[name+1:end], "*xX") == "" || a.text[name+1] == '$' {
		return 0, 0
	}
	return name + 1, end
}

func bearer(t *trigger, a *ahead) (from, to int) {
	if isWord(a.prev) {
		return 0, 0
	}
	n := len(t.text)
	end := a.span(n, base64ish)
	if v := strings.TrimRight(a.text[n:end], ".-_/"); isMixed(v, 12) {
		return n, n + len(v)
	}
	return 0, 0
}

func hook(t *trigger, a *ahead) (from, to int) {
	n := len(t.text)
	end := a.span(n, pathlike)
	if end-n < 20 {
		return 0, 0
	}
	return n, end
}

// isMixed reports whether a value looks made by a machine: long, and of digits
// and letters, or of both cases, or very long.
func isMixed(v string, least int) bool {
	if len(v) < least {
		return false
	}
	var digit, up, low bool
	for i := range len(v) {
		digit, up, low = digit || isDigit(v[i]), up || isUpper(v[i]), low || isLower(v[i])
	}
	return digit && (up || low) || (len(v) >= 24 && up && low) || len(v) >= 40
}
