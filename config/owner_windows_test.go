package config

import "errors"

func mkfifo(string) error { return errors.New("no named pipes among files here") }
func listen(string) error { return errors.New("no sockets among files here") }
