// Package server answers the hooks of a case on loopback, as the case says.
package server

import (
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"hookwatch/suites"
)

// A Server is what hooks of one case reach.
type Server struct {
	listener net.Listener
	http     *http.Server
}

// Serve answers at what listen opens, by routes.
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

// Address is its URL.
func (s *Server) Address() string { return "http://" + s.listener.Addr().String() }

// Port is that of its URL.
func (s *Server) Port() string { return strconv.Itoa(s.listener.Addr().(*net.TCPAddr).Port) }

// Close ends it.
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

// pause waits, unless the hook goes away first.
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
