package run_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"hookwatch/suites/process/testdata/processtest"
	"hookwatch/suites/run"
	"hookwatch/suites/sandbox"
)

func copyProgram(t *testing.T, to string) {
	t.Helper()
	b, err := os.ReadFile("/proc/self/exe")
	if err == nil {
		err = processtest.WriteProgram(to, b)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func ordinary() {
	root, temp, home := os.Getenv("ROOT"), os.Getenv("TEMP"), os.Getenv("HOME")
	choice, err := sandbox.Choose(sandbox.Auto, sandbox.Options{Root: root, Home: home, Size: 64 << 20, Processes: 100}, temp)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("isolation", choice.Describe().Name)
	r := run.New(run.Options{Root: root, Temp: temp, Timeout: time.Minute, Isolation: choice, Env: os.Environ()})
	act := inMounts
	if given := os.Getenv("ACT"); given != "" {
		act = given
	}
	c := doing(act)
	c.Env["SELF"] = os.Getenv("SELF")
	o, err := r.Case(context.Background(), c)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%sexit %d\n%s\n", o.Last().Stdout, o.Last().Exit, o.Last().Stderr)
	for _, c := range o.Changes {
		fmt.Println(c.Kind, c.Path)
	}
	fmt.Println(strings.Join(o.Stopped, "\n"), choice.Notes())
	_ = r.Remove(o)
}
