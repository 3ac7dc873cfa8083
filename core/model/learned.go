package model

import (
	"sync"

	"drover/core"
)

// Learned remembers what a model or server has refused, so that it is not sent
// again. The zero value knows nothing.
type Learned struct {
	mu sync.Mutex
	m  map[string]int
}

// Get is what was learned of model; 0: nothing.
func (l *Learned) Get(model, what string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.m[model+" "+what]
}

// Set remembers n, and reports whether that is news.
func (l *Learned) Set(model, what string, n int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.m[model+" "+what] == n {
		return false
	}
	if l.m == nil {
		l.m = map[string]int{}
	}
	l.m[model+" "+what] = n
	return true
}

// Refused reports whether err says that the request is wrong, in words that
// name one of the parts.
func Refused(err error, parts ...string) bool {
	f, ok := FaultOf(err)
	if !ok || f.Class != ClassInvalid && f.Class != ClassNotFound && f.Status != 500 { // a server of one's own may break at it
		return false
	}
	return says(f.said, parts)
}

// Learning asks with the request that make makes; where it is refused before
// anything has streamed, and learn knows what it can do without, again.
func Learning(on func(core.Delta), request func() (Body, error), ask func(body Body, on func(core.Delta)) (core.ModelReply, error), learn func(error) bool) (core.ModelReply, error) {
	var before Body
	var refused error
	for {
		body, err := request()
		if err != nil {
			return core.ModelReply{}, err
		}
		begun := false
		if !body.Equal(before) { // else what was learned changes nothing of this one
			var r core.ModelReply
			if r, refused = ask(body, func(d core.Delta) { begun = true; on(d) }); refused == nil {
				return r, nil
			}
		}
		if before = body; begun || !learn(refused) {
			return core.ModelReply{}, refused
		}
	}
}

// Unfinished is the fault of an answer that ended as it should and is none.
func (c *Client) Unfinished(class Class, what, hint string) error {
	return &Fault{Class: class, Status: 200, Err: &core.Error{Code: class.Code(), Message: c.o.name() + ": " + what, Hint: hint}}
}

// Check returns the fault of an answer that says nothing, or that was declined;
// short says that it hit its limit of length.
func (c *Client) Check(a *Answer, short, declined bool) error {
	switch {
	case declined && len(a.calls) == 0:
		what := "the model, or a filter before it, declined to answer"
		if words := core.CleanLine(a.text.String()); words != "" {
			what += ": " + core.Short(words, 300)
		}
		return c.Unfinished(ClassRefused, what, "ask in other words, or choose another model")
	case !a.Empty():
		return nil
	case short:
		return c.Unfinished(ClassInvalid, "the answer reached its limit of length before it said anything", "allow longer answers, or ask for less reasoning")
	}
	return c.Unfinished(ClassServer, "the model gave an empty answer", "try again, or choose another model (drover models)")
}

// bytesPerToken is an estimate for servers that do not tell what was used.
const bytesPerToken = 4

// Tokens is what a call has used: what the provider says, else an estimate
// from the bytes sent and received, whose cost is unknown.
func (c *Client) Tokens(model string, u Usage, sent int, r core.ModelReply) core.Tokens {
	if u != (Usage{}) {
		return c.o.Prices.Tokens(u, c.o.Name+"/"+model)
	}
	got := len(r.Text) + len(r.Reasoning)
	for _, call := range r.Calls {
		got += len(call.Name) + len(call.Args)
	}
	t := core.Tokens{In: int64(sent / bytesPerToken), Out: int64((got + bytesPerToken - 1) / bytesPerToken)}
	if p, ok := c.o.Prices.Of(c.o.Name + "/" + model); ok && p == (Price{}) {
		t.CostKnown = true // whatever it was, it cost nothing
	}
	return t
}
