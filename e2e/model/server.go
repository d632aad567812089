package model

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Protocol is how a program talks to its model.
type Protocol struct {
	name string
	// path is what the address of a question has in it.
	path string
	// read takes a question apart.
	read func(url string, body []byte) (request, error)
	// write gives the answer.
	write func(w *writer, r request, a reply)
	// other answers what is no question; nil says that there is no such page.
	other func(url string) (any, bool)
	// id makes the id of the n-th call.
	id func(n int) string
}

// String is the protocol's name.
func (p Protocol) String() string { return p.name }

// Server is one model. Close it.
type Server struct {
	// URL is its address, without a slash at the end.
	URL string

	memory *memory
	http   *http.Server
	mu     sync.Mutex
	errs   []error
}

// Start starts a server on a free port of the loopback.
func Start(p Protocol, script Script) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	s := &Server{URL: "http://" + l.Addr().String(), memory: newMemory(script, p.id)}
	s.http = &http.Server{Handler: s.handler(p), ReadHeaderTimeout: time.Minute}
	go func() {
		if err := s.http.Serve(l); err != http.ErrServerClosed {
			s.fault(err)
		}
	}()
	return s, nil
}

// Close stops the server.
func (s *Server) Close() error { return s.http.Close() }

// Faults are the questions that could not be read.
func (s *Server) Faults() []error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.errs
}

func (s *Server) fault(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.errs = append(s.errs, err)
}

func (s *Server) handler(p Protocol) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := &writer{ResponseWriter: w}
		body, err := readBody(r)
		if err != nil {
			s.fault(fmt.Errorf("read %s: %w", r.URL, err))
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		url := r.URL.Path
		if r.Method != http.MethodPost || !strings.Contains(url, p.path) {
			s.notAsked(p, out, url)
			return
		}
		q, err := p.read(url, body)
		if err != nil {
			s.fault(fmt.Errorf("understand %s: %w", r.URL, err))
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		p.write(out, q, s.memory.answer(q, body))
	})
}

func (s *Server) notAsked(p Protocol, w *writer, url string) {
	if p.other != nil {
		if page, ok := p.other(url); ok {
			w.object(page)
			return
		}
	}
	http.Error(w, "{}", http.StatusNotFound)
}

func readBody(r *http.Request) ([]byte, error) {
	var from io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			return nil, err
		}
		from = z
	}
	return io.ReadAll(from)
}

// writer writes JSON, or a stream of events.
type writer struct {
	http.ResponseWriter
	streams bool
}

func (w *writer) object(v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the program has gone; its exit code tells
}

// event writes one event of a stream; kind may be "".
func (w *writer) event(kind string, v any) {
	if !w.streams {
		w.streams = true
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Cache-Control", "no-cache")
	}
	if kind != "" {
		fmt.Fprintf(w, "event: %s\n", kind)
	}
	text, ok := v.(string)
	if !ok {
		text = marshal(v)
	}
	fmt.Fprintf(w, "data: %s\n\n", text)
	if f, ok := w.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}

// marshal writes what is made of maps, lists and texts only.
func marshal(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(data)
}

// object is a JSON object to be written.
type object = map[string]any

// text joins what a protocol calls content: a text, or a list of parts with texts.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []struct {
		Text    string          `json:"text"`
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return string(raw)
	}
	var out []string
	for _, p := range parts {
		switch {
		case p.Text != "":
			out = append(out, p.Text)
		case len(p.Content) > 0:
			out = append(out, text(p.Content))
		}
	}
	return strings.Join(out, "\n")
}

// args are a call's arguments as an object.
func (c Call) args() map[string]any {
	if c.Args == nil {
		return map[string]any{}
	}
	return c.Args
}
