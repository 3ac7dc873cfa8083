package tool

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"drover/core"
)

const (
	braveURL  = "https://api.search.brave.com/res/v1/web/search"
	tavilyURL = "https://api.tavily.com/search"
	searchMax = 2 << 20 // of an answer
)

const noSearch = "no search service is set up. The person can do that with the setting search_url " +
	"(an address with {query} in it, such as that of a SearXNG server: http://localhost:8888/search?format=json&q={query}), " +
	"or with BRAVE_API_KEY or TAVILY_API_KEY in the environment."

type webSearch struct {
	def
	o             NetOptions
	brave, tavily string
}

func (t webSearch) Subject(args json.RawMessage) string {
	return cut(core.CleanLine(field(args, "query")), subjectBytes)
}

func (t webSearch) Run(ctx context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	a := struct {
		Query string
		Count int
	}{Count: 8}
	if r, err := t.decode(args, &a); r != nil || err != nil {
		return orNone(r), err
	}
	limited, cancel := context.WithTimeout(ctx, httpTimeout)
	defer cancel()
	req, err := t.request(limited, a.Query, a.Count)
	if err != nil {
		return failed("web_search: the search service cannot be asked: %s", core.CleanLine(err.Error())), nil
	}
	if req == nil {
		return failed("web_search: %s", noSearch), nil
	}
	req.Header.Set("User-Agent", "drover")
	host := hostOf(req.URL)
	client := &http.Client{CheckRedirect: func(next *http.Request, via []*http.Request) error {
		if len(via) > httpHops || !sameHost(req.URL, next.URL) {
			return otherHost{next.URL}
		}
		return nil
	}}
	resp, err := client.Do(req)
	var body []byte
	if err == nil {
		defer resp.Body.Close()
		body, err = io.ReadAll(io.LimitReader(resp.Body, searchMax))
	}
	switch {
	case ctx.Err() != nil:
		return core.ToolResult{}, ctx.Err()
	case limited.Err() != nil:
		return failed("web_search: no answer from %s within %v", host, httpTimeout), nil
	case err != nil:
		return failed("web_search: %s: %s", host, netFault(err)), nil
	case resp.StatusCode != http.StatusOK:
		return failed("web_search: %s answers %s: %s", host, core.CleanLine(resp.Status), cut(core.CleanLine(string(body)), 500)), nil
	}
	return hits(env, resp, body, a.Query, a.Count), nil
}

// request asks the service that is set up; nil where none is.
func (t webSearch) request(ctx context.Context, query string, count int) (*http.Request, error) {
	if t.o.SearchURL != "" {
		to := strings.ReplaceAll(t.o.SearchURL, "{query}", url.QueryEscape(query))
		return http.NewRequestWithContext(ctx, http.MethodGet, to, nil)
	}
	if key := t.o.Getenv("BRAVE_API_KEY"); key != "" {
		to := t.brave + "?" + url.Values{"q": {query}, "count": {strconv.Itoa(count)}}.Encode()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, to, nil)
		if err == nil {
			req.Header.Set("X-Subscription-Token", key)
			req.Header.Set("Accept", "application/json")
		}
		return req, err
	}
	if key := t.o.Getenv("TAVILY_API_KEY"); key != "" {
		body, err := json.Marshal(map[string]any{"query": query, "max_results": count})
		if err != nil {
			return nil, err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.tavily, bytes.NewReader(body))
		if err == nil {
			req.Header.Set("Authorization", "Bearer "+key)
			req.Header.Set("Content-Type", "application/json")
		}
		return req, err
	}
	return nil, nil
}

// found is one result in the words of the services that are known.
type found struct {
	Title       string
	URL         string
	Link        string
	Content     string
	Description string
	Snippet     string
}

// hits shows the answer of a service: results where their shape is known, else its text.
func hits(env core.ToolEnv, resp *http.Response, body []byte, query string, count int) core.ToolResult {
	var known struct {
		Results []found
		Items   []found
		Web     struct{ Results []found }
	}
	if json.Unmarshal(body, &known) == nil {
		list := append(append(known.Results, known.Web.Results...), known.Items...)
		if len(list) > 0 {
			return done(hitsText(list[:min(len(list), count)]))
		}
		if json.Valid(body) && bytes.Contains(body, []byte(`"results"`)) {
			return done("nothing was found for " + strconv.Quote(cut(core.CleanLine(query), 200)))
		}
	}
	kind := resp.Header.Get("Content-Type")
	text, ok := asText(kind, body)
	if !ok {
		return failed("web_search: the answer of %s is no text", hostOf(resp.Request.URL))
	}
	if isHTML(kind, text) {
		text = htmlText(text, resp.Request.URL)
	}
	return kept(env, "search", core.Clean(text))
}

var marks = pattern(`<[^<>]{1,100}>`)

func hitsText(list []found) string {
	line := func(s string, n int) string {
		return cut(core.CleanLine(html.UnescapeString(marks().ReplaceAllString(s, ""))), n)
	}
	var b strings.Builder
	for i, h := range list {
		address, words := cmp.Or(h.URL, h.Link), cmp.Or(h.Content, h.Description, h.Snippet)
		fmt.Fprintf(&b, "%d. %s\n   %s\n", i+1, line(h.Title, 200), line(address, 500))
		if words := line(words, 600); words != "" {
			fmt.Fprintf(&b, "   %s\n", words)
		}
	}
	return b.String()
}
