package record

import (
	"slices"

	"hookwatch/suites"
)

// rollingAgents lists the agents that have a log.
func (r *Reader) rollingAgents() ([]string, error) {
	if r.rolling == nil {
		return nil, nil
	}
	return Agents(r.rolling)
}

// rollingFiles lists the files of the log called name, newest first.
func (r *Reader) rollingFiles(name string) ([]LogFile, error) {
	if r.rolling == nil {
		return nil, nil
	}
	return Files(r.rolling, name)
}

// History yields every record of the rolling log, oldest first for each agent,
// until yield returns false. The warnings name what holds no record.
func (r *Reader) History(yield func(agent string, r suites.Record) bool) ([]string, error) {
	agents, err := r.rollingAgents()
	if err != nil {
		return nil, err
	}
	var warned []string
	b, more := NewBudget(), true
	for _, agent := range agents {
		files, err := r.rollingFiles(agent + Suffix)
		if err != nil {
			return warned, err
		}
		for _, f := range slices.Backward(files) {
			w, err := f.Read(b, func(r suites.Record) bool {
				more = yield(agent, r)
				return more
			})
			warned = append(warned, w...)
			if err != nil || !more || b.Spent() {
				return warned, err
			}
		}
	}
	return warned, nil
}
