package model

import (
	"fmt"
	"net/http"
	"strings"

	"drover/core"
)

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
	return &Fault{Class: class, Status: p.Status, RetryAfter: p.RetryAfter, said: strings.ToLower(p.Message), Err: &core.Error{
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
		switch {
		case p.Status == http.StatusPaymentRequired, p.broke(strings.ToLower(p.Type + " " + p.Code + " " + p.Message)):
			return "the account behind " + key + " has no credit left: see the provider's billing page"
		case p.Status == http.StatusForbidden:
			return key + " may not use this model: check its rights, or choose another model (drover models)"
		case c.o.KeyName == "":
			return "the server wants a key: set one for " + c.o.name()
		}
		if c.o.Moved {
			return "set " + key + " to a key that " + c.shown() + " takes"
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
	return !says(strings.ToLower(p.Message+" "+p.Code+" "+p.Type), []string{"model", "endpoints found", "deployment"})
}

// keyMissing reports whether a server may have looked for the key elsewhere.
func (p Problem) keyMissing() bool {
	return p.Status == http.StatusUnauthorized || p.Status == http.StatusForbidden && strings.Contains(strings.ToLower(p.Message), "authenticat")
}
