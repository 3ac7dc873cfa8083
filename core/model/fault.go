package model

import (
	"context"
	"errors"
	"time"

	"drover/core"
)

// Class is what kind of failure a model call had: callers decide by it.
type Class string

const (
	ClassRateLimit      Class = "rate_limit"       // too many requests or tokens: wait RetryAfter
	ClassOverloaded     Class = "overloaded"       // the provider has no room
	ClassServer         Class = "server"           // the provider failed, or answered what is no answer
	ClassNetwork        Class = "network"          // not reached, cut in the middle, or silent for too long
	ClassTLS            Class = "tls"              // no secure connection: a certificate that is not trusted, or no TLS at all
	ClassAuth           Class = "auth"             // no key, a wrong one, no right, or no credit
	ClassInvalid        Class = "invalid"          // the request does not suit the model
	ClassNotFound       Class = "not_found"        // no such model, or no such address
	ClassContextTooLong Class = "context_too_long" // the conversation does not fit
	ClassRefused        Class = "refused"          // the model or a filter declined to answer
)

// Transient reports whether the same call may succeed a little later.
func (c Class) Transient() bool {
	switch c {
	case ClassRateLimit, ClassOverloaded, ClassServer, ClassNetwork:
		return true
	}
	return false
}

// Code is what a person's script reads of the class.
func (c Class) Code() core.Code {
	switch c {
	case ClassAuth:
		return core.CodeModelAuth
	case ClassNotFound:
		return core.CodeModelNotFound
	case ClassRateLimit:
		return core.CodeRateLimited
	case ClassContextTooLong:
		return core.CodeContextTooLong
	}
	return core.CodeModel
}

// Fault is a failed model call. It unwraps to its *core.Error, so that
// core.CodeOf and core.HintOf work on it.
type Fault struct {
	Class      Class
	Status     int           // of HTTP; 0 where there was none
	RetryAfter time.Duration // how long the provider wants to be left alone; 0: it does not say
	said       string        // all of the provider's words, in small letters
	Err        *core.Error
}

func (f *Fault) Error() string { return f.Err.Error() }

func (f *Fault) Unwrap() error { return f.Err }

// FaultOf finds the Fault in err.
func FaultOf(err error) (*Fault, bool) { return errors.AsType[*Fault](err) }

var (
	errSilent  = errors.New("the provider sent nothing for too long")
	errEndless = errors.New("the answer does not end: it is longer than any model's")
	errDone    = errors.New("the answer is complete")
)

// ended returns the cause where ctx has ended, which is no fault of a provider.
func ended(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}
