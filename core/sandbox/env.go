package sandbox

import (
	"slices"
	"strings"
)

// Names of the variables that mark a process as drover's.
const (
	EnvSession = "DROVER_SESSION"
	EnvTask    = "DROVER_TASK"
	envExec    = "DROVER_EXEC" // one Run, so that its processes are found even without their supervisor
)

// passed are the variables a command may see: what tools need to find their
// files, and nothing that is a key to something.
var passed = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TMPDIR", "TZ",
	"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
	"GOPATH", "GOCACHE", "GOMODCACHE", "GOROOT", "GOBIN", "GOENV", "GOFLAGS", "GOTOOLCHAIN", "GOPRIVATE", "GONOSUMDB", "GOSUMDB", "GOWORK", "CGO_ENABLED",
	"CARGO_HOME", "RUSTUP_HOME", "JAVA_HOME", "ANDROID_HOME", "NVM_DIR", "NVM_BIN", "NODE_PATH", "PNPM_HOME",
	"VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_ROOT", "PYTHONPATH", "RBENV_ROOT", "GEM_HOME", "GEM_PATH",
	"CC", "CXX", "LD_LIBRARY_PATH", "PKG_CONFIG_PATH", "MANPATH",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO",
	"DROVER_STATE", "DROVER_CONFIG",
}

// addresses may hold a user and a password; they are passed only without.
var addresses = []string{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "GOPROXY"}

// set is what every command gets: no colours, no pager, no editor, no question.
var set = []string{
	"TERM=dumb", "NO_COLOR=1", "PAGER=cat", "GIT_PAGER=cat", "GIT_EDITOR=true", "GIT_TERMINAL_PROMPT=0",
}

// Environ is the part of base ("KEY=value" each) that a command may see, with
// drover's own settings for programs that nobody watches. Of a name that
// occurs twice the last counts.
func Environ(base []string) []string {
	env := make(map[string]string, len(base))
	for _, kv := range base {
		if name, value, ok := strings.Cut(kv, "="); ok && mayPass(name, value) {
			env[name] = value
		}
	}
	return merge(env, set)
}

func mayPass(name, value string) bool {
	switch {
	case strings.ContainsRune(value, 0):
		return false
	case slices.Contains(addresses, strings.ToUpper(name)):
		return !strings.Contains(value, "@")
	}
	return strings.HasPrefix(name, "LC_") || slices.Contains(passed, name)
}

func merge(env map[string]string, more []string) []string {
	for _, kv := range more {
		name, value, _ := strings.Cut(kv, "=")
		env[name] = value
	}
	list := make([]string, 0, len(env))
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return list
}
