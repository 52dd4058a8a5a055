package desktop

import "errors"

var (
	errNoAnswer = errors.New("the notification service does not answer")
	errNoBus    = errors.New("no D-Bus session: DBUS_SESSION_BUS_ADDRESS is not set")
)
