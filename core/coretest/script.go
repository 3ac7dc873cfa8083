package coretest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"drover/core"
)

// Reply is what a Script answers to one call of the model.
type Reply struct {
	Text      string // empty with Chunks: the chunks joined
	Reasoning string
	Chunks    []string // Text as it streams in; empty: all of Text at once
	Calls     []core.ToolCall
	Tokens    core.Tokens
	Opaque    json.RawMessage
	Err       error           // ends the call, after the chunks
	Delay     time.Duration   // passes before each chunk, or before the answer where there are none
	Hold      <-chan struct{} // where set, nothing comes until it is closed
}

// Script is a core.Model for tests. It records every request, waits by the
// clock of the test (fake under synctest), and ends at once with its context.
type Script struct {
	mu       sync.Mutex
	answer   func(core.ModelRequest, int) Reply
	requests []core.ModelRequest
	calls    map[string]int // by task
}

var _ core.Model = (*Script)(nil)

// NewScript makes a model of a function. call counts from 1 in each task. The
// function is never run twice at once and must not block: use Delay or Hold.
func NewScript(answer func(req core.ModelRequest, call int) Reply) *Script {
	return &Script{answer: answer, calls: map[string]int{}}
}

// NewList makes a model of lists: each task takes the list of its ID, else of
// its agent's name, else of "", from the beginning and in order. A call too
// many is a model error that says so.
func NewList(lists map[string][]Reply) *Script {
	return NewScript(func(req core.ModelRequest, call int) Reply {
		for _, key := range []string{req.Task.Task, req.Task.Agent, ""} {
			if list, ok := lists[key]; ok && call <= len(list) {
				return list[call-1]
			} else if ok {
				return Reply{Err: core.Errorf(core.CodeModel, "the script %q has %d replies and was asked for more", key, len(list))}
			}
		}
		return Reply{Err: core.Errorf(core.CodeModel, "no script for agent %q", req.Task.Agent)}
	})
}

// Say is a reply of text alone.
func Say(text string) Reply { return Reply{Text: text} }

// Use is a reply that calls tools.
func Use(calls ...core.ToolCall) Reply { return Reply{Calls: calls} }

// Call makes a tool call; args is anything that JSON can express, or a
// json.RawMessage that is sent as it is.
func Call(id, tool string, args any) core.ToolCall {
	raw, ok := args.(json.RawMessage)
	if !ok {
		var err error
		if raw, err = json.Marshal(args); err != nil {
			raw = json.RawMessage(fmt.Sprintf("%q", err.Error()))
		}
	}
	return core.ToolCall{ID: id, Name: tool, Args: raw}
}

// Stream implements core.Model.
func (s *Script) Stream(ctx context.Context, req core.ModelRequest, on func(core.Delta)) (core.ModelReply, error) {
	r := s.next(req)
	if r.Hold != nil {
		select {
		case <-r.Hold:
		case <-ctx.Done():
			return core.ModelReply{}, ctx.Err()
		}
	}
	reply := core.ModelReply{Text: r.Text, Reasoning: r.Reasoning, Calls: r.Calls, Tokens: r.Tokens, Opaque: r.Opaque, Stop: "script"}
	chunks := r.Chunks
	if len(chunks) == 0 {
		chunks = []string{r.Text}
	} else if r.Text == "" {
		reply.Text = strings.Join(chunks, "")
	}
	reasoning := r.Reasoning
	for _, chunk := range chunks {
		if err := pause(ctx, r.Delay); err != nil {
			return core.ModelReply{}, err
		}
		if on != nil && (chunk != "" || reasoning != "") {
			on(core.Delta{Text: chunk, Reasoning: reasoning})
		}
		reasoning = ""
	}
	if r.Err != nil {
		return core.ModelReply{}, r.Err
	}
	return reply, nil
}

func (s *Script) next(req core.ModelRequest) Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	req.Messages = slices.Clone(req.Messages) // the caller goes on appending
	s.requests = append(s.requests, req)
	s.calls[req.Task.Task]++
	return s.answer(req, s.calls[req.Task.Task])
}

// Requests are all requests so far, in order.
func (s *Script) Requests() []core.ModelRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// RequestsOf are those of one task (by its ID) or of one agent (by its name).
func (s *Script) RequestsOf(key string) []core.ModelRequest {
	return slices.DeleteFunc(s.Requests(), func(r core.ModelRequest) bool {
		return r.Task.Task != key && r.Task.Agent != key
	})
}

func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
