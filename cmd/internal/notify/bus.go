//go:build !darwin && !windows

package notify

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/godbus/dbus/v5"
)

// desktopService uses org.freedesktop.Notifications on the session bus directly. Libraries
// that fall back to notify-send, kdialog or dbus-launch search PATH for them, where a
// project's directory may come first.
func desktopService() (send func(notification) error, hangUp func()) {
	var b sessionBus
	return b.send, b.close
}

// A sessionBus is a connection that is made when it is first needed. Only one notification
// is sent at a time.
type sessionBus struct {
	conn  *dbus.Conn
	shown uint32 // the last notification, which the next one replaces

	mu     sync.Mutex
	cancel context.CancelFunc // ends the connection, even while it is being made
}

// send shows a notification and waits for the service's answer.
func (b *sessionBus) send(n notification) error {
	if err := b.connect(); err != nil {
		return err
	}
	const name = "org.freedesktop.Notifications"
	const low, normal, serversOwn = byte(0), byte(1), int32(-1)
	urgency := low
	if n.urgent {
		urgency = normal
	}
	call := b.conn.Object(name, "/org/freedesktop/Notifications").Call(name+".Notify", 0,
		"hookwatch", b.shown, "", n.title, n.body, []string{},
		map[string]dbus.Variant{"urgency": dbus.MakeVariant(urgency)}, serversOwn)
	if call.Err != nil {
		return call.Err
	}
	_ = call.Store(&b.shown) // it was shown, whatever the service answers
	return nil
}

func (b *sessionBus) connect() error {
	if b.conn != nil && b.conn.Connected() {
		return nil
	}
	address, err := sessionAddress(os.Getenv("DBUS_SESSION_BUS_ADDRESS"), fmt.Sprintf("/run/user/%d", os.Getuid()))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	b.mu.Lock()
	b.cancel = cancel
	b.mu.Unlock()
	b.conn, err = dbus.Connect(address, dbus.WithContext(ctx))
	if err != nil {
		cancel()
	}
	return err
}

// close ends the connection, and with it a hanging call. The next notification opens a new
// one.
func (b *sessionBus) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.cancel != nil {
		b.cancel()
	}
}

// sessionAddress finds the session bus without starting one: from the variable, or else in
// the user's runtime directory.
func sessionAddress(variable, runtimeDir string) (string, error) {
	if strings.HasPrefix(variable, "autolaunch:") {
		return "", errNoBus
	}
	if variable != "" {
		return variable, nil
	}
	if info, err := os.Stat(runtimeDir + "/bus"); err == nil && info.Mode().Type() == os.ModeSocket {
		return "unix:path=" + dbus.EscapeBusAddressValue(runtimeDir+"/bus"), nil
	}
	if info, err := os.Stat(runtimeDir + "/dbus-session"); err == nil && info.Mode().IsRegular() && info.Size() < 4096 {
		text, err := os.ReadFile(runtimeDir + "/dbus-session")
		address, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "DBUS_SESSION_BUS_ADDRESS=")
		if err == nil && ok {
			return sessionAddress(address, "")
		}
	}
	return "", errNoBus
}
