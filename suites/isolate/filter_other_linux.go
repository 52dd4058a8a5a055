//go:build linux && !amd64 && !arm64

package isolate

func filtered() bool { return false }

// filter refuses nothing here: only the calls of two architectures are known.
func (s *script) filter() {}
