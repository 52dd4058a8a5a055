package supervisor

// Like the package itself, this file imports no more than it must: see TestFirst.

const (
	PathsAtMost = pathsAtMost
	BytesAtMost = bytesAtMost
)

func Cleaned(path string) string { return string(new(observer).cleanPath([]byte(path))) }

func Slash(path string) int { return slash([]byte(path)) }

func ThroughProc(path string) bool { return throughProc([]byte(path)) }

func Interpreter(line string) string { return string(interpreter([]byte(line))) }

// An Observer records calls without a filter.
type Observer struct {
	o   *observer
	raw []byte
}

func NewObserver(rules ...string) *Observer {
	o := &observer{record: record{paths: make(map[string]*uses)}}
	o.setRules(rules)
	return &Observer{o, nil}
}

func (o *Observer) Rule(path string) rune { return o.o.rule([]byte(path)) }

// Open records that a process opens a path.
func (o *Observer) Open(path string, flags int) {
	o.raw = append(o.raw[:0], path...)
	o.o.use(o.raw, opened, uint64(flags))
}

// Record returns the uses by path, and why they are not all known for the path "".
func (o *Observer) Record() (uses map[string]string, bytes int) {
	uses = map[string]string{"": o.o.record.missing}
	for path, u := range o.o.record.paths {
		uses[path] = string(u.kinds[:u.n])
	}
	return uses, o.o.record.bytes
}

// Unmapped measures memory that no process maps: what the kernel has allocated, and an estimate.
func Unmapped() (kernel, estimate int) {
	var u unmapped
	_, kernel, estimate = u.measure(&procReader{}, nil)
	return kernel, estimate
}
