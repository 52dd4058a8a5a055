package notify

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/gen2brain/beeep"
	"github.com/godbus/dbus/v5"
)

var errNoBus = errors.New("no D-Bus session: DBUS_SESSION_BUS_ADDRESS is not set")

// sendDesktop shows a notification through whatever the system has. On Linux
// and the BSDs that is org.freedesktop.Notifications on the session bus, then
// the programs notify-send and kdialog. There is no icon: one would be written
// to a temporary file for them.
func sendDesktop(title, body string) error {
	if usesBus() && !sessionBusKnown() {
		return errNoBus
	}
	beeep.AppName = "hookwatch"
	return beeep.Notify(title, body, "")
}

func usesBus() bool { return runtime.GOOS != "darwin" && runtime.GOOS != "windows" }

// sessionBusKnown tells whether the session bus can be found without starting
// one. Where none is found the library runs dbus-launch, which leaves a bus
// behind on which nobody shows notifications.
func sessionBusKnown() bool {
	if address := os.Getenv("DBUS_SESSION_BUS_ADDRESS"); address != "" {
		return address != "autolaunch:"
	}
	for _, name := range []string{"bus", "dbus-session"} {
		if _, err := os.Stat(fmt.Sprintf("/run/user/%d/%s", os.Getuid(), name)); err == nil {
			return true
		}
	}
	return false
}

// closeSessionBus closes the connection that the library shares within the
// process and keeps for good. A later notification opens a new one.
func closeSessionBus() {
	if !usesBus() || !sessionBusKnown() {
		return
	}
	if conn, err := dbus.SessionBus(); err == nil {
		_ = conn.Close()
	}
}
