package supervisor

import (
	"strconv"
	"syscall"
)

// receive reads one message and the descriptors that came with it.
func receive() (fields []string, files []int, ok bool) {
	var head [4]byte
	files, ok = receiveHead(head[:])
	if !ok {
		return nil, nil, false
	}
	n := Length(head)
	if n < 0 || n > MaxMessage {
		return nil, nil, false
	}
	body := make([]byte, n)
	if !readFull(body) {
		return nil, nil, false
	}
	fields, ok = Decode(body)
	return fields, files, ok
}

// receiveHead reads the length of a message. Descriptors arrive with its first
// byte.
func receiveHead(head []byte) (files []int, ok bool) {
	oob := make([]byte, syscall.CmsgSpace(4*maxFiles))
	for got := 0; got < len(head); {
		n, oobn, _, _, err := syscall.Recvmsg(ControlFD, head[got:], oob, syscall.MSG_CMSG_CLOEXEC)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n == 0 {
			return nil, false
		}
		got += n
		files = append(files, descriptors(oob[:oobn])...)
	}
	return files, true
}

const maxFiles = 253 // SCM_MAX_FD

func descriptors(oob []byte) []int {
	messages, err := syscall.ParseSocketControlMessage(oob)
	if err != nil {
		return nil
	}
	var files []int
	for i := range messages {
		if fds, err := syscall.ParseUnixRights(&messages[i]); err == nil {
			files = append(files, fds...)
		}
	}
	return files
}

func readFull(b []byte) bool {
	for len(b) > 0 {
		n, err := syscall.Read(ControlFD, b)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n == 0 {
			return false
		}
		b = b[n:]
	}
	return true
}

// send writes one message, with a descriptor unless file is -1.
func (s *supervising) send(file int, fields ...string) {
	b := Encode(fields...)
	var oob []byte
	if file >= 0 {
		oob = syscall.UnixRights(file)
	}
	for len(b) > 0 {
		n, err := syscall.SendmsgN(ControlFD, b, oob, nil, syscall.MSG_NOSIGNAL)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return
		}
		b, oob = b[n:], nil
	}
}

func (s *supervising) reply(errno syscall.Errno, content string) {
	s.send(-1, Reply, strconv.Itoa(int(errno)), content)
}
