package notify

import "errors"

// Multi returns a view that passes every event to each of the views, in the given order. Close
// closes all of them in that order and joins their errors. Nil views are skipped.
func Multi(views ...View) View {
	var m multi
	for _, v := range views {
		if v != nil {
			m = append(m, v)
		}
	}
	return m
}

type multi []View

func (m multi) Handle(e Event) {
	for _, v := range m {
		v.Handle(e)
	}
}

func (m multi) Close() error {
	var errs []error
	for _, v := range m {
		errs = append(errs, v.Close())
	}
	return errors.Join(errs...)
}
