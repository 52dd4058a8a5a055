package run

import (
	"io"
	"net"
	"net/http"
	"path"
	"strings"
	"time"

	"hookwatch/suites"
)

// A server answers a case's hook on loopback.
type server struct {
	listener net.Listener
	http     *http.Server
}

func serve(listen func() (net.Listener, error), routes []suites.Route) (*server, error) {
	l, err := listen()
	if err != nil {
		return nil, err
	}
	s := &server{listener: l, http: &http.Server{
		Handler:           http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer(w, r, routes) }),
		ReadHeaderTimeout: 10 * time.Second,
	}}
	go func() { _ = s.http.Serve(l) }() // ends with close
	return s, nil
}

func (s *server) address() string { return "http://" + s.listener.Addr().String() }

func (s *server) close() { _ = s.http.Close() }

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
		if ok, err := path.Match(route.Path, r.URL.Path); err != nil || !ok {
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
