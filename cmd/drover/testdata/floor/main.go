// Command floor is what the benchmarks of prompt mode are measured beside: a
// bare program that makes the same HTTP calls in the same order and does nothing else.
//
//	floor measure FILE PROGRAM ARG…   runs PROGRAM and writes what it used to FILE
//	floor fanout URL N                an agent, N subagents, their calls, its answer
//	floor chain URL PROMPT            one agent until it has answered
//	floor streams URL N               N streams at once
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

type call struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
	Calls   []call `json:"tool_calls,omitempty"`
	CallID  string `json:"tool_call_id,omitempty"`
}

type chunk struct {
	Choices []struct {
		Delta message `json:"delta"`
	} `json:"choices"`
}

func main() {
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
}

func run(what string, args []string) error {
	switch what {
	case "measure":
		return measure(args[0], args[1:])
	case "chain":
		return chain(args[0], args[1])
	case "fanout":
		return fanout(args[0], args[1], "LEAF")
	case "streams":
		return fanout(args[0], args[1], "STREAM")
	}
	return fmt.Errorf("no %q", what)
}

// measure is a small process between the benchmark and what it measures: Linux
// counts the peak of the process that starts a program as the program's own.
func measure(file string, argv []string) error {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	began := time.Now()
	err := cmd.Run()
	wall := time.Since(began)
	if err != nil {
		return err
	}
	u := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return os.WriteFile(file, fmt.Appendf(nil, `{"wall":%d,"cpu":%d,"rss":%d}`, wall, cpu, u.Maxrss<<10), 0o600)
}

var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 512, DisableCompression: true}}

// ask makes one call and reads the stream of its answer.
func ask(url string, history []message) (message, error) {
	body, err := json.Marshal(map[string]any{"model": "x", "stream": true, "messages": history})
	if err != nil {
		return message{}, err
	}
	res, err := client.Post(url+"/chat/completions", "application/json", bytes.NewReader(body))
	if err != nil {
		return message{}, err
	}
	defer res.Body.Close()
	m := message{Role: "assistant"}
	var text strings.Builder
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !ok || string(data) == "[DONE]" {
			continue
		}
		var c chunk
		if err := json.Unmarshal(data, &c); err != nil {
			return m, err
		}
		for _, choice := range c.Choices {
			text.WriteString(choice.Delta.Content)
			m.Calls = append(m.Calls, choice.Delta.Calls...)
		}
	}
	m.Content = text.String()
	_, _ = io.Copy(io.Discard, res.Body)
	return m, lines.Err()
}

// chain asks, and answers every call with a line, until an answer has none.
func chain(url, prompt string) error {
	history := []message{{Role: "user", Content: prompt}}
	for {
		m, err := ask(url, history)
		if err != nil || len(m.Calls) == 0 {
			return err
		}
		history = append(history, m)
		for _, c := range m.Calls {
			text := []byte("a line of a file")
			if c.Function.Name == "shell" {
				if text, err = exec.Command("bash", "-c", "echo done").CombinedOutput(); err != nil {
					return err
				}
			}
			history = append(history, message{Role: "tool", CallID: c.ID, Content: string(text)})
		}
	}
}

func fanout(url, n, leaf string) error {
	count, err := strconv.Atoi(n)
	if err != nil {
		return err
	}
	history := []message{{Role: "user", Content: "FAN " + n + " " + leaf}}
	first, err := ask(url, history)
	if err != nil {
		return err
	}
	faults := make(chan error, count+1)
	var wg sync.WaitGroup
	for i := range count {
		wg.Go(func() { faults <- chain(url, leaf+" "+strconv.Itoa(i)) })
	}
	history = append(history, first)
	for _, c := range first.Calls {
		history = append(history, message{Role: "tool", CallID: c.ID, Content: "it works in the background"})
	}
	second, err := ask(url, history)
	faults <- err
	wg.Wait()
	close(faults)
	for err := range faults {
		if err != nil {
			return err
		}
	}
	history = append(history, second, message{Role: "user", Content: strings.Repeat("[notice] it answered", count)})
	_, err = ask(url, history)
	return err
}
