package watcher

import (
	"sync"
	"testing"

	"github.com/fsnotify/fsnotify"
)

// A troubled backend passes on the events of the system's own, unless a test stops it.
type troubled struct {
	backend
	out    chan fsnotify.Event
	errs   chan error
	halt   sync.Mutex      // while held, nothing is passed on and the system's queue fills
	deaf   chan string     // a path: events are dropped until it is created
	hears  chan bool       // receives a value when that happens
	refuse func(int) error // called with the number of the call of Add
	adds   int
}

func open(refuse func(int) error) (*troubled, error) {
	b, err := openNotifier()
	if err != nil {
		return nil, err
	}
	tr := &troubled{backend: b, out: make(chan fsnotify.Event), errs: make(chan error), deaf: make(chan string), hears: make(chan bool), refuse: refuse}
	go tr.pass()
	return tr, nil
}

func (tr *troubled) events() <-chan fsnotify.Event { return tr.out }
func (tr *troubled) failures() <-chan error        { return tr.errs }

func (tr *troubled) Add(dir string) error {
	tr.adds++
	if err := tr.refuse(tr.adds); err != nil {
		return err
	}
	return tr.backend.Add(dir)
}

func (tr *troubled) pass() {
	defer close(tr.out)
	defer close(tr.errs)
	deaf := ""
	for {
		select {
		case e, open := <-tr.backend.events():
			if !open {
				return
			}
			tr.halt.Lock()
			tr.halt.Unlock() // only waits
			switch deaf {
			case "":
				tr.out <- e
			case e.Name:
				deaf = ""
				tr.hears <- true
			}
		case err, open := <-tr.backend.failures():
			if !open {
				return
			}
			tr.errs <- err
		case deaf = <-tr.deaf:
		}
	}
}

func never(int) error { return nil }

// watchTroubled starts a watcher with a troubled backend.
func watchTroubled(t *testing.T, i Interest, refuse func(int) error, note func(string)) (*probe, *troubled) {
	t.Helper()
	var tr *troubled
	p := watch(t, mode{"troubled", func(o Options) (*Watcher, error) {
		o.Note = note
		return start(o, func() (b backend, err error) {
			tr, err = open(refuse)
			return tr, err
		})
	}}, i)
	return p, tr
}
