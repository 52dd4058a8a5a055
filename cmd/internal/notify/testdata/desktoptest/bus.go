// Package desktoptest runs a real notification service on a private D-Bus session, for tests
// that must see what a desktop would show. The program does not import it: TestShipped in
// cmd/hookwatch checks that.
package desktoptest

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// ceiling bounds what no test should ever wait for.
const ceiling = 5 * time.Minute

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

// StartBus starts a private bus that starts no service by itself.
func StartBus(t *testing.T) (address string) {
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

// A Notification is one as a service gets it.
type Notification struct {
	App, Icon, Title, Body string
	Actions                int
	Replaces               uint32
	Urgency                byte
}

// ID is what a service answers for each notification.
const ID = 7

// A Service is one of org.freedesktop.Notifications. It answers once hang is
// closed.
type Service struct {
	Shown chan Notification // what it was asked to show
	hang  chan struct{}
}

// Notify is the service's method of that name.
func (s *Service) Notify(app string, replaces uint32, icon, title, body string, actions []string,
	hints map[string]dbus.Variant, _ int32) (uint32, *dbus.Error) {
	urgency, _ := hints["urgency"].Value().(byte)
	s.Shown <- Notification{app, icon, title, body, len(actions), replaces, urgency}
	<-s.hang
	return ID, nil
}

// GetCapabilities is the service's method of that name.
func (*Service) GetCapabilities() ([]string, *dbus.Error) {
	return []string{"body", "body-markup", "body-hyperlinks", "body-images", "actions"}, nil
}

// CloseNotification is the service's method of that name.
func (*Service) CloseNotification(uint32) *dbus.Error { return nil }

// GetServerInformation is the service's method of that name.
func (*Service) GetServerInformation() (name, vendor, version, spec string, err *dbus.Error) {
	return "test", "hookwatch", "1", "1.2", nil
}

// Serve puts a notification service on the bus.
func Serve(t *testing.T, bus string, hangs bool) *Service {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), ceiling)
	t.Cleanup(cancel)
	conn, err := dbus.Connect(bus, dbus.WithContext(ctx))
	if err != nil {
		t.Fatal(err)
	}
	s := &Service{Shown: make(chan Notification, 100), hang: make(chan struct{})}
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

// All returns what was shown until now.
func (s *Service) All() []Notification {
	var got []Notification
	for {
		select {
		case n := <-s.Shown:
			got = append(got, n)
		default:
			return got
		}
	}
}
