package notify

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"hookwatch/suites"
)

// The variable that makes the test binary a sender: a JSON list of Transitions.
const senderEvents = "NOTIFY_TEST_EVENTS"

// ceiling bounds what no test should ever wait for.
const ceiling = 30 * time.Second

// sender hands the events to a desktop view as the program does: the address of
// the bus and the connection belong to a process. It tells on stdout how long
// the view made it wait, and on stderr what the view said.
func sender(events string) int {
	var list []Transitions
	if err := json.Unmarshal([]byte(events), &list); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	v := NewDesktop(DesktopOptions{Bell: os.Stdout, TTY: true, Say: func(s string) { fmt.Fprintln(os.Stderr, s) }})
	start := time.Now()
	for _, t := range list {
		v.Handle(t)
	}
	handled := time.Since(start)
	err := v.Close()
	fmt.Printf("%d %d\n", handled.Milliseconds(), time.Since(start).Milliseconds())
	if err != nil {
		return 1
	}
	return 0
}

// send runs a sender on the bus and returns what it wrote.
func send(t *testing.T, bus string, env []string, events ...Transitions) (stdout, stderr string) {
	t.Helper()
	list, err := json.Marshal(events)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), ceiling)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	// No PATH: neither notify-send nor dbus-launch may lend a hand. A binary
	// built to measure coverage complains where it has no place for it.
	cmd.Env = append([]string{senderEvents + "=" + string(list), "DBUS_SESSION_BUS_ADDRESS=" + bus,
		"GOCOVERDIR=" + t.TempDir()}, env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("sender: %v\n%s", err, errs.String())
	}
	return out.String(), errs.String()
}

const busConfig = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=%s</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
  </policy>
</busconfig>
`

// startBus starts a private bus that starts no service by itself.
func startBus(t *testing.T) (address string) {
	t.Helper()
	daemon, err := exec.LookPath("dbus-daemon")
	if err != nil {
		t.Skip("needs dbus-daemon (Debian package dbus)")
	}
	dir, err := os.MkdirTemp("", "bus") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	conf := filepath.Join(dir, "bus.conf")
	if err := os.WriteFile(conf, fmt.Appendf(nil, busConfig, filepath.Join(dir, "s")), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(daemon, "--config-file="+conf, "--nofork", "--print-address=1")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	address, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_, _ = io.Copy(io.Discard, out)
		t.Fatalf("dbus-daemon gave no address: %v\n%s", err, errs.String())
	}
	return strings.TrimSpace(address)
}

// A shown notification, as a service gets it.
type shown struct{ app, icon, title, body string }

// A service of org.freedesktop.Notifications. It answers once hang is closed.
type service struct {
	shown chan shown
	hang  chan struct{}
}

func (s *service) Notify(app string, _ uint32, icon, title, body string, _ []string,
	_ map[string]dbus.Variant, _ int32) (uint32, *dbus.Error) {
	s.shown <- shown{app, icon, title, body}
	<-s.hang
	return 1, nil
}

func (*service) GetCapabilities() ([]string, *dbus.Error) { return []string{"body"}, nil }

func (*service) CloseNotification(uint32) *dbus.Error { return nil }

func (*service) GetServerInformation() (name, vendor, version, spec string, err *dbus.Error) {
	return "test", "hookwatch", "1", "1.2", nil
}

// serve puts a notification service on the bus.
func serve(t *testing.T, bus string, hangs bool) *service {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), ceiling)
	t.Cleanup(cancel)
	conn, err := dbus.Connect(bus, dbus.WithContext(ctx))
	if err != nil {
		t.Fatal(err)
	}
	s := &service{shown: make(chan shown, 10), hang: make(chan struct{})}
	if hangs {
		t.Cleanup(func() { close(s.hang); _ = conn.Close() })
	} else {
		close(s.hang)
		t.Cleanup(func() { _ = conn.Close() })
	}
	const name = "org.freedesktop.Notifications"
	if err := conn.Export(s, "/org/freedesktop/Notifications", name); err != nil {
		t.Fatal(err)
	}
	reply, err := conn.RequestName(name, dbus.NameFlagDoNotQueue)
	if err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		t.Fatalf("%s is not ours: %v %v", name, reply, err)
	}
	return s
}

// all returns what was shown until now.
func (s *service) all() []shown {
	var got []shown
	for {
		select {
		case n := <-s.shown:
			got = append(got, n)
		default:
			return got
		}
	}
}

func TestDesktopOnRealBus(t *testing.T) {
	t.Parallel()
	bus := startBus(t)
	s := serve(t, bus, false)
	stdout, stderr := send(t, bus, nil,
		Transitions{Project: "plankton"},
		Transitions{Project: "plankton", Regressions: regressed("P01", "P03").Regressions,
			Resolved: []suites.Record{rec("pm", "P02", "npm_blocked", true, "")}})
	want := shown{"hookwatch", "", "hookwatch: plankton",
		"regression: P01 name_P01, P03 name_P03\nresolved: P02 npm_blocked"}
	if got := s.all(); len(got) != 1 || got[0] != want {
		t.Errorf("shown %+v, want one: %+v", got, want)
	}
	if strings.Contains(stdout, "\a") || stderr != "" {
		t.Errorf("a bell or a word beside a notification: %q, %q", stdout, stderr)
	}
	if send(t, bus, nil, Transitions{Project: "plankton"}); len(s.all()) != 0 {
		t.Error("a notification without a transition")
	}
	if send(t, bus, []string{"CI=1"}, regressed("P01")); len(s.all()) != 0 {
		t.Error("a notification in CI")
	}
}

func TestDesktopOnBusWithoutService(t *testing.T) {
	t.Parallel()
	bus := startBus(t)
	for _, tt := range []struct{ name, address, why string }{
		{"no service", bus, "org.freedesktop.Notifications"},
		{"no bus", "unix:path=/nonexistent/bus", "/nonexistent/bus"},
		{"a bus that would have to be started", "autolaunch:", errNoBus.Error()},
	} {
		name := tt.name
		stdout, stderr := send(t, tt.address, nil, regressed("P01"), regressed("P02"))
		if !strings.Contains(stderr, tt.why) {
			t.Errorf("%s: said %q, want the reason %q", name, stderr, tt.why)
		}
		if strings.Count(stdout, "\a") != 2 {
			t.Errorf("%s: stdout %q, want two bells", name, stdout)
		}
		if strings.Count(stderr, "the bell rings instead") != 1 {
			t.Errorf("%s: said %q, want it said once", name, stderr)
		}
	}
}

func TestDesktopOnHangingService(t *testing.T) {
	t.Parallel()
	bus := startBus(t)
	s := serve(t, bus, true)
	stdout, _ := send(t, bus, nil, regressed("P01"), regressed("P02"))
	var handled, all int
	if _, err := fmt.Sscan(stdout, &handled, &all); err != nil {
		t.Fatalf("%q: %v", stdout, err)
	}
	// The view allows itself 2 s; the rest is for a machine that is busy.
	if handled > 500 || all < 1000 || all > 5000 {
		t.Errorf("handled in %d ms, closed after %d ms with a service that hangs", handled, all)
	}
	if got := s.all(); len(got) != 1 {
		t.Errorf("%d calls were made to a service that hangs, want 1", len(got))
	}
}
