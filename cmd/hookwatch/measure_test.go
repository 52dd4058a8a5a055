package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"testing"
	"time"
)

// measureSocket names the variable with the path of a socket on which a program
// that is this test binary reports its memory.
const measureSocket = "HOOKWATCH_TEST_MEASURE"

// profilesDir names the variable with a directory for profiles of the heap.
const profilesDir = "HOOKWATCH_TEST_PROFILES"

// A memory is the memory of a program after a garbage collection.
type memory struct {
	Heap       uint64 `json:"heap"` // bytes of live objects
	Objects    uint64 `json:"objects"`
	Goroutines int    `json:"goroutines"`
}

// printMemory answers on a socket for as long as the program lives: "memory" with
// a memory in JSON, "heap" or "goroutine" with that profile.
func printMemory(path string) {
	// The runtime's own book of allocations grows with every place that allocates. The
	// released program keeps none, as nothing in it reads one.
	runtime.MemProfileRate = 0
	if os.Getenv(profilesDir) != "" {
		runtime.MemProfileRate = 1
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		panic(err) // of the test, not of the program
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			what, _ := bufio.NewReader(c).ReadString('\n')
			debug.FreeOSMemory() // collects garbage, and what its finalizers let go
			debug.FreeOSMemory()
			if profile := pprof.Lookup(what[:max(len(what)-1, 0)]); profile != nil {
				_ = profile.WriteTo(c, 0)
			} else {
				_ = json.NewEncoder(c).Encode(currentMemory())
			}
			_ = c.Close()
		}
	}()
}

func currentMemory() memory {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return memory{m.HeapAlloc, m.HeapObjects, runtime.NumGoroutine()}
}

// ask asks the program behind a socket.
func ask(t testing.TB, socket, what string) []byte {
	t.Helper()
	c, err := net.DialTimeout("unix", socket, ceiling)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(ceiling))
	if _, err := io.WriteString(c, what+"\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(c)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}
