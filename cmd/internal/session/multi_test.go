package session

import (
	"errors"
	"slices"
	"testing"
)

type viewSpy struct {
	name string
	log  *[]string
	err  error
}

func (s viewSpy) Handle(e Event) { *s.log = append(*s.log, s.name+" "+e.(Warning).Text) }

func (s viewSpy) Close() error {
	*s.log = append(*s.log, s.name+" closed")
	return s.err
}

func TestMulti(t *testing.T) {
	t.Parallel()
	var log []string
	first, second := errors.New("first"), errors.New("second")
	m := Multi(viewSpy{"a", &log, first}, nil, viewSpy{"b", &log, second})
	m.Handle(Warning{"x"})
	m.Handle(Warning{"y"})
	err := m.Close()
	if want := []string{"a x", "b x", "a y", "b y", "a closed", "b closed"}; !slices.Equal(log, want) {
		t.Errorf("views saw %q, want %q", log, want)
	}
	if !errors.Is(err, first) || !errors.Is(err, second) {
		t.Errorf("Close returns %v, want both errors", err)
	}
}
