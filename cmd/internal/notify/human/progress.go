package human

import "time"

// tracing is the progress of runs that find out what cases execute.
type tracing struct {
	since time.Time
	first int // how many were done then
}

// long is how long something takes before it is worth saying how long it will.
const long = 2 * time.Second

// remaining says how long it will be until all is done, as far as what is done already
// tells.
func remaining(took time.Duration, done, more int) line {
	if took < long || done == 0 || more == 0 {
		return nil
	}
	return line{{dim, "  about " + span(took/time.Duration(done)*time.Duration(more)) + " left"}}
}
