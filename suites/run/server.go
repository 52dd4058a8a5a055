package run

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"hookwatch/suites"
	"hookwatch/suites/live"
)

// A server answers the client's requests with the scripted model.
type server struct {
	listener net.Listener
	http     *http.Server
	mu       sync.Mutex
	model    live.Model
	last     []string // the latest bodies
	spent    func()   // called for a request to which the script has no answer left; may be nil
	runaway  func()   // called if the client asks the model too often; nil before bounded
	others   []string // requests that are not to the model
}

const (
	largestBody = 8 << 20
	keptBodies  = 3
)

func serve(listen func() (net.Listener, error), session string) (*server, error) {
	l, err := listen()
	if err != nil {
		return nil, err
	}
	if a, ok := l.Addr().(*net.TCPAddr); !ok || !a.IP.IsLoopback() {
		_ = l.Close()
		return nil, fmt.Errorf("%s is not on loopback", l.Addr())
	}
	s := &server{listener: l, model: live.Model{Session: session}}
	s.http = &http.Server{Handler: http.HandlerFunc(s.answer), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.http.Serve(l) }() // ends with close
	return s, nil
}

func (s *server) address() string { return "http://" + s.listener.Addr().String() }

func (s *server) close() { _ = s.http.Close() }

func (s *server) answer(w http.ResponseWriter, r *http.Request) {
	if path := s.model.Path(); r.Method != http.MethodPost || r.URL.Path != path || r.URL.IsAbs() {
		s.mu.Lock()
		if other := r.Method + " " + r.RequestURI; !slices.Contains(s.others, other) {
			s.others = append(s.others, other)
		}
		s.mu.Unlock()
		status := http.StatusNotFound
		if r.Method == http.MethodHead {
			status = http.StatusOK
		}
		w.WriteHeader(status)
		return
	}
	a := s.reply(r)
	if !pause(r, a.Delay) {
		return
	}
	w.Header().Set("Content-Type", a.Type)
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body)
}

func (s *server) reply(r *http.Request) live.Answer {
	body, err := io.ReadAll(io.LimitReader(r.Body, largestBody))
	if err != nil {
		return live.BrokenRequest(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	asked, err := s.model.Read(r.Header.Get, body)
	if err != nil {
		return live.BrokenRequest(err)
	}
	s.last = append(s.last, string(body))
	s.last = s.last[max(0, len(s.last)-keptBodies):]
	s.model.Record(asked)
	if s.runaway != nil && s.model.IsExceeded() {
		s.runaway()
	}
	if s.spent != nil && s.model.IsSpent() {
		s.spent()
	}
	return s.model.Reply(asked)
}

// limit returns a context for running the client, which ends when the client has asked the model
// too often: it would go on until its timeout.
func (s *server) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runaway = cancel
	return ctx, cancel
}

// then sets the function for a request to which the script has no answer left.
func (s *server) then(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spent = do
}

// strayRequests returns the requests that were not to the model.
func (s *server) strayRequests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.others
}

// script sets the model's answers for a turn.
func (s *server) script(t live.Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.model.Script(t.Main, t.Subagent, t.Nested)
}

// follow sets the model's session to the client's, because /clear begins another one.
func (s *server) follow(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if session != "" {
		s.model.Session = session
	}
}

// requests returns what the model received in the turn, and the ID of the tool call under test.
func (s *server) requests() ([]live.Heard, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.model.Requests(), s.model.TestedID()
}

func (s *server) isExceeded() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.model.IsExceeded()
}

func (s *server) requestCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.model.RequestCount()
}

func (s *server) bodies() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// A Server is the loopback server of one case.
type Server struct {
	listener net.Listener
	http     *http.Server
}

// Serve answers requests according to routes, on the listener that listen returns.
func Serve(listen func() (net.Listener, error), routes []suites.Route) (*Server, error) {
	l, err := listen()
	if err != nil {
		return nil, err
	}
	s := &Server{listener: l, http: &http.Server{
		Handler:           http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer(w, r, routes) }),
		ReadHeaderTimeout: 10 * time.Second,
	}}
	go func() { _ = s.http.Serve(l) }() // ends with Close
	return s, nil
}

// Address returns the server's URL.
func (s *Server) Address() string { return "http://" + s.listener.Addr().String() }

// Port returns the port of the server's URL.
func (s *Server) Port() string { return strconv.Itoa(s.listener.Addr().(*net.TCPAddr).Port) }

// Close stops the server.
func (s *Server) Close() { _ = s.http.Close() }

func answer(w http.ResponseWriter, r *http.Request, routes []suites.Route) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for _, route := range routes {
		if !routeMatches(route, r, string(body)) {
			continue
		}
		if !pause(r, route.Delay) {
			return
		}
		if route.Status != 0 {
			w.WriteHeader(route.Status)
		}
		_, _ = io.WriteString(w, route.Reply)
		return
	}
	http.Error(w, "no route of this case matches "+r.Method+" "+r.URL.Path, http.StatusNotFound)
}

func routeMatches(route suites.Route, r *http.Request, body string) bool {
	if route.Method != "" && !strings.EqualFold(route.Method, r.Method) {
		return false
	}
	if route.Path != "" {
		if ok, err := doublestar.Match(route.Path, r.URL.Path); err != nil || !ok {
			return false
		}
	}
	return strings.Contains(body, route.Contains)
}

// pause waits and reports true, or false if the other side closes the connection first.
func pause(r *http.Request, d time.Duration) bool {
	if d == 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-r.Context().Done():
		return false
	}
}
