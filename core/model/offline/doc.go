// Package offline is drover's embedded model: rules, not a language model, and
// it says so in what it writes. It needs no network, no key and no account.
//
// It surveys a directory through background agents, answers follow-ups by
// searching and reading, and acts out the situations a demonstration or a test
// needs (Help lists them). All it tells comes from the output of real tools.
//
// It promises to be a pure function of the request: no state between calls, so
// it goes on after kill -9 where the transcript ends; and the same request gets
// the same reply. A rule is a plain function that is run from its beginning at
// each call: steps that the transcript already holds give their results, the
// first one that is missing becomes the reply (script.do).
//
// It never calls a tool that it was not offered, never invents a finding, and
// never reads a file, a clock or the network itself.
package offline
