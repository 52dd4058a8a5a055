//go:build !linux

package evaluator

import (
	"os"
	"runtime/metrics"
	"syscall"
	"time"

	"hookwatch/suites"
)

func self() (string, error) { return os.Executable() }

// looks is the interval for comparing the process's memory with the limit.
const looks = 10 * time.Millisecond

// limitMemory ends the process soon after it uses more than memory bytes, because the limits of
// these systems do not count Go's memory.
func limitMemory(memory int64) {
	go func() {
		used := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
		for range time.Tick(looks) {
			if metrics.Read(used); used[0].Value.Uint64() > uint64(memory) {
				syscall.Exit(1)
			}
		}
	}()
}

var end *time.Timer

// renew ends the process if the next evaluation takes far too long. The parent kills it
// earlier, unless the parent itself has ended.
func renew() {
	if end != nil {
		end.Stop()
	}
	end = time.AfterFunc(4*suites.MaxExpressionTime, func() { syscall.Exit(1) })
}
