package process

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"hookwatch/suites/process/supervisor"
)

// listen reads answers until the supervisor is gone, whoever ended it, and waits for
// it: one that dies while its box is kept ready must not remain a zombie.
func (b *Box) listen() {
	for {
		a, err := b.receive()
		if err != nil {
			break
		}
		if a.fields[0] == supervisor.Reply {
			b.replies <- a
		} else {
			b.answers <- a
		}
	}
	_ = b.conn.Close()
	b.reap()
	close(b.answers)
	close(b.replies)
}

func (b *Box) receive() (answer, error) {
	var head [4]byte
	oob := make([]byte, unix.CmsgSpace(4))
	n, oobn, _, _, err := b.conn.ReadMsgUnix(head[:], oob)
	if err != nil {
		return answer{}, err
	}
	a := answer{file: received(oob[:oobn])}
	if err := b.readFull(head[n:]); err != nil {
		return answer{}, err
	}
	body := make([]byte, supervisor.Length(head))
	if err := b.readFull(body); err != nil {
		return answer{}, err
	}
	var ok bool
	if a.fields, ok = supervisor.Decode(body); !ok || len(a.fields) == 0 {
		return answer{}, errors.New("the supervisor's answer is broken")
	}
	return a, nil
}

func (b *Box) readFull(p []byte) error {
	for len(p) > 0 {
		n, err := b.conn.Read(p)
		if err != nil {
			return err
		}
		p = p[n:]
	}
	return nil
}

func received(oob []byte) *os.File {
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil || len(messages) == 0 {
		return nil
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) == 0 {
		return nil
	}
	unix.CloseOnExec(fds[0])
	return os.NewFile(uintptr(fds[0]), "storage")
}

func (b *Box) send(files []*os.File, fields ...string) error {
	var oob []byte
	if len(files) > 0 {
		fds := make([]int, len(files))
		for i, f := range files {
			fds[i] = int(f.Fd())
		}
		oob = unix.UnixRights(fds...)
	}
	b.sending.Lock()
	defer b.sending.Unlock()
	message := supervisor.Encode(fields...)
	n, _, err := b.conn.WriteMsgUnix(message, oob, nil)
	for err == nil && n < len(message) {
		var more int
		more, err = b.conn.Write(message[n:])
		n += more
	}
	return err
}

// ask sends a request and waits for its answer, among answers of its kind.
func (b *Box) ask(answers <-chan answer, fields ...string) (answer, error) {
	if err := b.send(nil, fields...); err != nil {
		return answer{}, err
	}
	a, ok := <-answers
	if !ok {
		return answer{}, errLost
	}
	return a, nil
}

var errLost = errors.New("the supervisor ended")
